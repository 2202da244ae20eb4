# libmeniscus.so and libmeniscus.a from the objects of all rooms, with headers, pkg-config file and CMake package.
# Only mn_* leaves either of them: the shared library by visibility, the archive by joining all objects into one and making
# its hidden symbols local, so that our grid_build() never meets somebody else's.
include(CMakePackageConfigHelpers)

# One relocatable object of the objects of `rooms`, hidden symbols made local. Depends on the rooms' archives, because Makefiles know
# no rule for an object of another target.
function(meniscus_joined_object out rooms objects)
  set(joined ${CMAKE_CURRENT_BINARY_DIR}/meniscus_joined.o)
  add_custom_command(OUTPUT ${joined}
    COMMAND ${CMAKE_LINKER} -r -o ${joined} ${objects}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${joined}
    DEPENDS ${rooms} COMMAND_EXPAND_LISTS VERBATIM COMMENT "Joining the rooms")
  set(${out} ${joined} PARENT_SCOPE)
endfunction()

function(meniscus_library)
  get_property(rooms GLOBAL PROPERTY MENISCUS_ROOMS)
  set(objects)
  foreach(room ${rooms})
    list(APPEND objects $<TARGET_OBJECTS:${room}>)
  endforeach()

  add_library(meniscus SHARED ${objects})
  # before 1.0 every minor version may change the interface
  set_target_properties(meniscus PROPERTIES LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_libraries(meniscus PRIVATE PkgConfig::JANSSON PkgConfig::PNG PkgConfig::ODE Threads::Threads m)
  target_link_options(meniscus PRIVATE -Wl,--no-undefined -Wl,--as-needed)
  if(MENISCUS_SANITIZE) # the sanitizers' runtime is in the program, not in the library
    set_target_properties(meniscus PROPERTIES EXCLUDE_FROM_ALL ON)
    return()
  endif()

  meniscus_joined_object(joined "${rooms}" "${objects}")
  add_library(meniscus_static STATIC ${joined})
  set_source_files_properties(${joined} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  set_target_properties(meniscus_static PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME meniscus)
  target_link_libraries(meniscus_static INTERFACE jansson png ode Threads::Threads m)

  foreach(library meniscus meniscus_static)
    set_target_properties(${library} PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
    target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  endforeach()
  target_compile_definitions(meniscus INTERFACE MENISCUS_SHARED)
  meniscus_install()
endfunction()

function(meniscus_install)
  install(TARGETS meniscus meniscus_static EXPORT meniscus-targets)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/meniscus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

  # CMake: find_package(meniscus) gives meniscus::meniscus (shared) and meniscus::meniscus_static
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/meniscus)
  install(EXPORT meniscus-targets NAMESPACE meniscus:: DESTINATION ${package})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/meniscus-config.cmake.in meniscus-config.cmake
    INSTALL_DESTINATION ${package})
  write_basic_package_version_file(meniscus-config-version.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/meniscus-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/meniscus-config-version.cmake
    DESTINATION ${package})

  # pkg-config: the prefix is wherever the file is, so that an installed tree can be moved
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" MENISCUS_PC_UP "${up}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/meniscus.pc.in meniscus.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/meniscus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/meniscus)
endfunction()
