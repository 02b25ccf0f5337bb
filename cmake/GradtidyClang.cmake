# LLVM and Clang 22 as one imported target, and the rooms of the analyser that build on it.

find_program(LLVM_CONFIG NAMES llvm-config-22 llvm-config REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --version OUTPUT_VARIABLE LLVM_VERSION
                OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT LLVM_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR "gradtidy needs LLVM and Clang 22; ${LLVM_CONFIG} is ${LLVM_VERSION}. "
                      "Run script/bootstrap, or set LLVM_CONFIG.")
endif()
execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE LLVM_INCLUDES
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND ${LLVM_CONFIG} --libdir OUTPUT_VARIABLE LLVM_LIBRARY_FOLDER
                OUTPUT_STRIP_TRAILING_WHITESPACE)

# Headers and definitions only: llvm-config's own flags also bring -fno-exceptions and -std=c++17.
add_library(gradtidy_llvm_headers INTERFACE)
target_include_directories(gradtidy_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDES})
target_compile_definitions(gradtidy_llvm_headers INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS
                                                           __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)

# What a program links; a plugin takes these symbols from the program that loads it.
add_library(gradtidy_llvm INTERFACE)
target_link_directories(gradtidy_llvm INTERFACE ${LLVM_LIBRARY_FOLDER})
target_link_libraries(gradtidy_llvm INTERFACE gradtidy_llvm_headers clang-cpp LLVM-22)

gradtidy_precompiled(gradtidy_clang_headers
  <clang/AST/ASTContext.h> <clang/AST/DeclTemplate.h> <clang/AST/ExprCXX.h> <clang/AST/ParentMap.h>
  <clang/AST/RecursiveASTVisitor.h> <clang/Analysis/CFG.h> <clang/Basic/SourceManager.h>
  <clang/Lex/Lexer.h> <functional> <map> <set>)
target_link_libraries(gradtidy_clang_headers PRIVATE gradtidy_llvm_headers)

# gradtidy_room(NAME SOURCES...): the library gradtidy_NAME, one folder of the analyser.
function(gradtidy_room name)
  add_library(gradtidy_${name} STATIC ${ARGN})
  target_include_directories(gradtidy_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(gradtidy_${name} PUBLIC gradtidy_llvm_headers)
  gradtidy_warnings(gradtidy_${name})
  # GCC 12 warns about clang's own inline functions, at the places they are inlined to.
  target_compile_options(gradtidy_${name} PRIVATE -Wno-nonnull)
  gradtidy_precompile(gradtidy_${name} gradtidy_clang_headers)
endfunction()
