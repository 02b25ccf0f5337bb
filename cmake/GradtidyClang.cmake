# LLVM and Clang 22 as one imported target, and the components of the analyzer that build on it.

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
string(REGEX MATCH "^[0-9]+" LLVM_MAJOR ${LLVM_VERSION})
set(GRADTIDY_RESOURCE_DIR ${LLVM_LIBRARY_FOLDER}/clang/${LLVM_MAJOR}) # clang's own headers

# Headers and definitions only: llvm-config's own flags also bring -fno-exceptions and -std=c++17.
add_library(gradtidy_llvm_headers INTERFACE)
target_include_directories(gradtidy_llvm_headers SYSTEM INTERFACE ${LLVM_INCLUDES})
target_compile_definitions(gradtidy_llvm_headers INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS
                                                           __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)

# What a program links; a plugin takes these symbols from the program that loads it.
add_library(gradtidy_llvm INTERFACE)
target_link_directories(gradtidy_llvm INTERFACE ${LLVM_LIBRARY_FOLDER})
target_link_libraries(gradtidy_llvm INTERFACE gradtidy_llvm_headers)
if(GRADTIDY_STATIC)
  execute_process(COMMAND ${LLVM_CONFIG} --link-static --libfiles all OUTPUT_VARIABLE LLVM_ARCHIVES
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(LLVM_ARCHIVES)
  list(FILTER LLVM_ARCHIVES EXCLUDE REGEX "/libPolly") # in packages of their own
  # All of clang but clangd and the tools that are programs of their own.
  file(GLOB CLANG_ARCHIVES ${LLVM_LIBRARY_FOLDER}/libclang*.a)
  list(FILTER CLANG_ARCHIVES EXCLUDE REGEX "/libclang(d|Daemon|Doc|Tidy|_rt)")
  list(APPEND CLANG_ARCHIVES ${LLVM_LIBRARY_FOLDER}/libclangTidy.a
                             ${LLVM_LIBRARY_FOLDER}/libclangTidyUtils.a)
  # Only what the program reaches is kept. The C++ library is newer than that of some systems.
  target_link_libraries(gradtidy_llvm INTERFACE
    -Wl,--start-group ${CLANG_ARCHIVES} ${LLVM_ARCHIVES} -Wl,--end-group
    -Wl,-Bstatic -lz -lzstd -Wl,-Bdynamic -lm -ldl -lrt -lpthread)
  target_link_options(gradtidy_llvm INTERFACE -static-libstdc++ -static-libgcc -Wl,--gc-sections)
else()
  target_link_libraries(gradtidy_llvm INTERFACE clang-cpp LLVM-22)
endif()

# What code on syntax trees and on the outer sides of the program includes.
gradtidy_precompiled(gradtidy_clang_headers
  <clang-tidy/ClangTidyDiagnosticConsumer.h> <clang/AST/ASTContext.h> <clang/AST/DeclTemplate.h>
  <clang/AST/ExprCXX.h> <clang/AST/ParentMap.h> <clang/AST/RecursiveASTVisitor.h>
  <clang/Analysis/CFG.h> <clang/Basic/SourceManager.h> <clang/Frontend/FrontendActions.h>
  <clang/Lex/Lexer.h> <functional> <map> <nlohmann/json.hpp> <set>)
# What the analysis behind the lowering and the checks include.
gradtidy_precompiled(gradtidy_analysis_headers ${PROJECT_SOURCE_DIR}/checks/Check.h)
foreach(HEADERS gradtidy_clang_headers gradtidy_analysis_headers)
  target_include_directories(${HEADERS} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${HEADERS} PRIVATE gradtidy_llvm_headers)
endforeach()

# gradtidy_component(NAME [PRECOMPILED HEADERS] SOURCES...): the library gradtidy_NAME, one folder of
# the analyzer; HEADERS are gradtidy_clang_headers, if not said otherwise.
function(gradtidy_component name)
  cmake_parse_arguments(PARSE_ARGV 1 COMPONENT "" PRECOMPILED "")
  if(NOT COMPONENT_PRECOMPILED)
    set(COMPONENT_PRECOMPILED gradtidy_clang_headers)
  endif()
  add_library(gradtidy_${name} STATIC ${COMPONENT_UNPARSED_ARGUMENTS})
  target_include_directories(gradtidy_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(gradtidy_${name} PUBLIC gradtidy_llvm_headers)
  gradtidy_warnings(gradtidy_${name})
  # GCC 12 warns about clang's own inline functions, at the places they are inlined to.
  target_compile_options(gradtidy_${name} PRIVATE -Wno-nonnull)
  gradtidy_precompile(gradtidy_${name} ${COMPONENT_PRECOMPILED})
endfunction()
