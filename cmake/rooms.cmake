# room(NAME DEPENDS ...): a static library room_NAME of all sources in src/NAME, which may include only its own headers
# and those of the rooms it depends on. The installed library is made of the objects of all rooms
# but those that are APART.
function(room name)
  cmake_parse_arguments(R "APART" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  if(sources)
    add_library(room_${name} STATIC ${sources})
    target_link_libraries(room_${name} PUBLIC meniscus_options ${R_DEPENDS})
    if(NOT R_APART)
      set_property(GLOBAL APPEND PROPERTY MENISCUS_ROOMS room_${name})
    endif()
  else()
    add_library(room_${name} INTERFACE)
    target_link_libraries(room_${name} INTERFACE meniscus_options ${R_DEPENDS})
  endif()
endfunction()
