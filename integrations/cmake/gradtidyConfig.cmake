# find_package(gradtidy): the imported program gradtidy::gradtidy, and
#
#   gradtidy_target(TARGET...)
#     [ARGUMENTS ARGUMENT...]   more arguments of gradtidy, such as --strict
#
# which adds the sources of these targets to the target `lint`: `cmake --build build --target lint`.
# Compiler flags come from compile_commands.json, which the Makefile and Ninja generators write. Call
# set(CMAKE_EXPORT_COMPILE_COMMANDS ON) before the targets are made; find_package does, too.

if(NOT TARGET gradtidy::gradtidy)
  find_program(GRADTIDY_EXECUTABLE gradtidy HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
  if(NOT GRADTIDY_EXECUTABLE)
    set(gradtidy_FOUND FALSE)
    set(gradtidy_NOT_FOUND_MESSAGE "gradtidy is not on the PATH; set GRADTIDY_EXECUTABLE")
    return()
  endif()
  add_executable(gradtidy::gradtidy IMPORTED)
  set_target_properties(gradtidy::gradtidy PROPERTIES IMPORTED_LOCATION ${GRADTIDY_EXECUTABLE}
                                                      IMPORTED_GLOBAL ON)
endif()
set(gradtidy_FOUND TRUE)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

function(gradtidy_target)
  cmake_parse_arguments(PARSE_ARGV 0 LINT "" "" ARGUMENTS)
  foreach(target IN LISTS LINT_UNPARSED_ARGUMENTS)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "gradtidy_target: there is no target '${target}'")
    endif()
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    set_property(TARGET ${target} PROPERTY EXPORT_COMPILE_COMMANDS ON)
    set(files "")
    foreach(source IN LISTS sources)
      if(source MATCHES "\\.(c\\+\\+|cc|cpp|cxx|cu)$" AND NOT source MATCHES "^\\$<")
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
        list(APPEND files ${source})
      endif()
    endforeach()
    add_custom_target(lint-${target}
      COMMAND gradtidy::gradtidy -p ${CMAKE_BINARY_DIR} ${LINT_ARGUMENTS} ${files}
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} COMMENT "Linting ${target}" VERBATIM USES_TERMINAL)
    if(NOT TARGET lint)
      add_custom_target(lint)
    endif()
    add_dependencies(lint lint-${target})
  endforeach()
endfunction()
