# How every target of this project is compiled.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without these ccache keeps nothing that is compiled with precompiled headers.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

if(GRADTIDY_SANITIZE)
  add_compile_options(-fsanitize=${GRADTIDY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${GRADTIDY_SANITIZE})
endif()

# Warnings of our own code, which the presets make errors (CMAKE_COMPILE_WARNING_AS_ERROR); headers of
# others are included as system headers.
# Clang also warns in std::stable_sort of GCC 12's library, of the __COUNTER__ in Catch2's macros, and
# where a loop of a kernel has no vector form for one of its types.
function(gradtidy_warnings target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wno-unused-parameter>
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-unknown-warning-option -Wno-deprecated-declarations
      -Wno-c2y-extensions -Wno-pass-failed>)
endfunction()

# Precompiled headers are told by their content, as it is what ccache goes by.
add_compile_options("$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")

# gradtidy_precompiled(NAME HEADERS...): the target NAME, whose precompiled headers others use by
# gradtidy_precompile(TARGET NAME).
function(gradtidy_precompiled name)
  file(GENERATE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  if(GRADTIDY_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

function(gradtidy_precompile target name)
  if(GRADTIDY_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
