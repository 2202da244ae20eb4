# room(NAME DEPENDS ...): a static library room_NAME of all sources in src/NAME, which may include only its own headers
# and those of the rooms it depends on. The installed library is made of the objects of all rooms
# but those that are APART.
function(room name)
  cmake_parse_arguments(R "APART" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.c)
  if(sources)
    add_library(room_${name} STATIC ${sources})
    target_link_libraries(room_${name} PUBLIC meniscus_options ${R_DEPENDS})
    if(simd STREQUAL "avx512" AND name IN_LIST hot_rooms)
      target_compile_options(room_${name} PRIVATE ${avx512})
    elseif(simd STREQUAL "avx512" AND name STREQUAL "base")
      target_compile_definitions(room_base PRIVATE MENISCUS_AVX512) # it looks for them, and must not need them itself
    endif()
    if(NOT R_APART)
      set_property(GLOBAL APPEND PROPERTY MENISCUS_ROOMS room_${name})
    endif()
  else()
    add_library(room_${name} INTERFACE)
    target_link_libraries(room_${name} INTERFACE meniscus_options ${R_DEPENDS})
  endif()
endfunction()
