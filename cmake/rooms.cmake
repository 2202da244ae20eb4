# room(NAME DEPENDS ...): a static library room_NAME of all sources in src/NAME, which may include only its own headers
# and those of the rooms it depends on. The installed library is made of the objects of all rooms.
function(room name)
  cmake_parse_arguments(R "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  if(sources)
    add_library(room_${name} STATIC ${sources})
    target_link_libraries(room_${name} PUBLIC meniscus_options ${R_DEPENDS})
    set_property(GLOBAL APPEND PROPERTY MENISCUS_ROOMS room_${name})
  else()
    add_library(room_${name} INTERFACE)
    target_link_libraries(room_${name} INTERFACE meniscus_options ${R_DEPENDS})
  endif()
endfunction()
