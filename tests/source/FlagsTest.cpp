#include "analyzer/source/Flags.h"
#include "tests/Project.h"

#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInvocation.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

using gradtidy::normaliseFlags;
using gradtidy::test::Project;
using Words = std::vector<std::string>;

namespace {

/// What normaliseFlags keeps of \p flags of \p compiler, without the words it always adds.
Words kept(const std::string &compiler, const Words &flags, const std::string &folder = {}) {
  Words commandLine = {compiler};
  commandLine.insert(commandLine.end(), flags.begin(), flags.end());
  Words result = normaliseFlags(commandLine, "/p/a.cpp", folder);
  REQUIRE(result.size() >= 3);
  CHECK(result.back() == "/p/a.cpp");
  CHECK(result[result.size() - 2] == "-fsyntax-only");
  CHECK(result[result.size() - 3] == "-Qunused-arguments");
  result.resize(result.size() - 3);
  REQUIRE(result[1].starts_with("--driver-mode=g"));
  CHECK(result[2] == "--no-default-config");
  result.erase(result.begin(), result.begin() + 3);
  return result;
}

bool contains(const Words &words, const std::string &word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Whether clang's driver makes one compilation of \p commandLine, without errors.
bool clangAccepts(const Words &commandLine) {
  std::vector<const char *> words;
  for (const std::string &word : commandLine)
    words.push_back(word.c_str());
  return clang::createInvocation(words) != nullptr;
}

} // namespace

TEST_CASE("what changes the program stays, in its order") {
  const Words flags = {"-std=gnu++20",  "-DA=1",  "-D",    "B",        "-UC",
                       "-Iinc",         "-I",     "other", "-isystem", "sys",
                       "-iquote",       "q",      "-O2",   "-fPIC",    "-fno-exceptions",
                       "-march=native", "-mavx2", "-m64",  "-pthread", "-fopenmp"};
  CHECK(kept("g++", flags) == flags);
}

TEST_CASE("output, dependencies, linking and code generation are dropped") {
  CHECK(kept("g++", {"-c",
                     "a.cpp",
                     "-o",
                     "a.o",
                     "-MD",
                     "-MMD",
                     "-MP",
                     "-MF",
                     "a.d",
                     "-MT",
                     "a.o",
                     "-S",
                     "-E",
                     "-g",
                     "-ggdb3",
                     "-gsplit-dwarf",
                     "-pipe",
                     "-save-temps",
                     "-Wl,-rpath,/x",
                     "-L/x",
                     "-ltorch",
                     "-shared",
                     "b.o",
                     "--coverage",
                     "-pg",
                     "-fsanitize=address,undefined",
                     "-fprofile-arcs",
                     "-mtune=native",
                     "-mcmodel=large"})
            .empty());
}

TEST_CASE("flags of gcc alone are dropped") {
  const std::string flag = GENERATE(
      "-fno-gnu-unique", "-fconcepts", "-fmodules-ts", "-mabi=ms", "-fipa-pta", "-flto=8",
      "-flto=auto", "-fno-ipa-cp", "-fmodule-mapper=a.modmap", "-fdeps-format=p1689r5",
      "-fconcepts-diagnostics-depth=3", "-fopt-info-vec-missed", "-fdiagnostics-urls=never",
      "-fexec-charset=latin1", "-msse2avx", "-fpcc-struct-return", "-Wlogical-op", "-Winvalid-pch",
      "-fvar-tracking-assignments", "-fdump-tree-all");
  CAPTURE(flag);
  CHECK(kept("g++", {flag}).empty());
  CHECK(clangAccepts(normaliseFlags({"g++", flag, "a.cpp"}, "a.cpp")));
}

TEST_CASE("warnings are dropped, but errors of clang can stay turned off") {
  CHECK(kept("g++", {"-Wall", "-Wextra", "-Werror", "-Werror=vla", "-w", "-pedantic-errors",
                     "-Wno-narrowing", "-Wno-known-to-gcc-only"}) ==
        Words{"-Wno-narrowing", "-Wno-known-to-gcc-only", "-Wno-unknown-warning-option"});
}

TEST_CASE("plugins are not loaded") {
  CHECK(kept("clang++", {"-fplugin=x.so",
                         "-fplugin-arg-x-y=1",
                         "-fpass-plugin=y.so",
                         "-Xclang",
                         "-load",
                         "-Xclang",
                         "x.so",
                         "-Xclang",
                         "-add-plugin",
                         "-Xclang",
                         "x",
                         "-Xclang",
                         "-plugin-arg-x",
                         "-Xclang",
                         "-y",
                         "-Xclang",
                         "-fno-pch-timestamp",
                         "-Xclang",
                         "-fnative-half-type",
                         "-DX"}) == Words{"-DX", "-Xclang", "-fnative-half-type"});
}

TEST_CASE("launchers before the compiler are dropped") {
  CHECK(normaliseFlags({"ccache", "g++", "-DX", "-c", "a.cpp"}, "a.cpp") ==
        normaliseFlags({"g++", "-DX", "-c", "a.cpp"}, "a.cpp"));
  const Words launcher = GENERATE(Words{"/usr/bin/ccache"}, Words{"distcc"}, Words{"sccache"},
                                  Words{"icecc"}, Words{"ccache", "distcc"},
                                  Words{"env", "CCACHE_DIR=/c", "ccache"}, Words{"nice", "-n", "9"},
                                  Words{"/usr/bin/cmake", "-E", "__run_co_compile",
                                        "--tidy=clang-tidy;-p", "--source=a.cpp", "--"});
  Words commandLine = launcher;
  commandLine.insert(commandLine.end(), {"/opt/bin/g++-12", "-DX", "-c", "a.cpp"});
  CHECK(normaliseFlags(commandLine, "a.cpp") ==
        normaliseFlags({"/opt/bin/g++-12", "-DX", "-c", "a.cpp"}, "a.cpp"));

  CHECK(normaliseFlags({"ccache", "my-cxx", "-DX", "a.cpp"}, "a.cpp").front() == "my-cxx");
  CHECK(normaliseFlags({"my-cxx", "-DX", "a.cpp"}, "a.cpp").front() == "my-cxx");
}

TEST_CASE("the name of the compiler says the language and the target") {
  CHECK(contains(normaliseFlags({"/usr/bin/c++", "a.c"}, "a.c"), "--driver-mode=g++"));
  CHECK_FALSE(contains(normaliseFlags({"gcc", "a.c"}, "a.c"), "--driver-mode=g++"));
  CHECK(contains(normaliseFlags({"aarch64-linux-gnu-g++-12", "a.cpp"}, "a.cpp"),
                 "--target=aarch64-linux-gnu"));
  CHECK(kept("g++", {"-x", "c++", "a.inc", "-x", "none"}) == Words{"-x", "c++"});
}

TEST_CASE("response files are expanded, missing ones dropped") {
  Project project;
  project.write("flags.rsp", "-DA='x y' @nested.rsp\n-Iinc");
  project.write("nested.rsp", "-DB");
  CHECK(kept("g++", {"@flags.rsp", "@missing.rsp", "-DC"}, project.path()) ==
        Words{"-DA=x y", "-DB", "-Iinc", "-DC"});
  project.write("round.rsp", "@round.rsp");
  CHECK(kept("g++", {"@round.rsp", "-DC"}, project.path()) == Words{"-DC"});
  project.write("cuda.opt", "-DQ --expt-extended-lambda");
  CHECK(contains(
      normaliseFlags({"nvcc", "--options-file", "cuda.opt", "a.cpp"}, "a.cpp", project.path()),
      "-DQ"));
  CHECK(contains(normaliseFlags({"nvcc", "-optf=cuda.opt", "a.cpp"}, "a.cpp", project.path()),
                 "-D__CUDACC_EXTENDED_LAMBDA__"));
}

TEST_CASE("precompiled headers of other compilers are read as text") {
  Project project;
  project.write("cmake_pch.hxx", "");
  project.write("cmake_pch.hxx.gch", "gcc");
  project.write("gone.h.gch", "gcc");
  const std::string folder = project.path();
  // cc1's own -include does not look for a precompiled form beside the header.
  const Words text = {"-Xclang", "-include", "-Xclang", "cmake_pch.hxx"};
  CHECK(kept("g++", {"-Winvalid-pch", "-include", "cmake_pch.hxx"}, folder) == text);
  CHECK(kept("g++", {"-include", "cmake_pch.hxx.gch"}, folder) == text);
  CHECK(kept("clang++",
             {"-Xclang", "-include-pch", "-Xclang", "cmake_pch.hxx.pch", "-Xclang", "-include",
              "-Xclang", "cmake_pch.hxx"},
             folder) == text);
  CHECK(kept("g++", {"-include", "gone.h"}, folder).empty());
  CHECK(kept("g++", {"-include", "elsewhere/cmake_pch.hxx"}, folder).empty());
  CHECK(kept("g++", {"-include", "torch/torch.h"}, folder) ==
        Words{"-Xclang", "-include", "-Xclang", "torch/torch.h"});
}

TEST_CASE("built-in headers of another compiler are not searched") {
  CHECK(kept("g++", {"-I/usr/lib/gcc/x86_64-linux-gnu/12/include", "-isystem",
                     "/usr/lib/gcc/x86_64-linux-gnu/12/include-fixed", "-isystem",
                     "/usr/lib/llvm-14/lib/clang/14/include", "-resource-dir", "/usr/lib/clang/14",
                     "-Iinclude"}) == Words{"-Iinclude"});
}

TEST_CASE("odd command lines cost no more than what is odd in them") {
  CHECK(kept("g++", {"-DX", "-I"}) == Words{"-DX"});
  CHECK(kept("g++", {"-DX", "-Xclang"}) == Words{"-DX"});
  CHECK(kept("nvcc", {"-DX", "-gencode"})[0] == "-DX");
  CHECK(kept("g++", {"", "-DX", ""}) == Words{"-DX"});
  CHECK(kept("g++", {"-DX", "--", "a.cpp"}) == Words{"-DX"});
  CHECK(kept("g++", {"-I/caf\xe9"}) == Words{"-I/caf\xe9"});
  CHECK(normaliseFlags({}, "a.cpp") == normaliseFlags({"c++"}, "a.cpp"));
  CHECK(normaliseFlags({"-DX", "a.cpp"}, "a.cpp") ==
        normaliseFlags({"c++", "-DX", "a.cpp"}, "a.cpp"));
  CHECK(clangAccepts(normaliseFlags({}, "a.cpp")));
}

TEST_CASE("headers are parsed as C++ unless -x says otherwise") {
  CHECK(contains(normaliseFlags({"gcc", "a.c"}, "a.h"), "c++-header"));
  CHECK(contains(normaliseFlags({"nvcc", "a.cu"}, "a.cuh"), "cuda"));
  // It takes the word of objects, too.
  CHECK(contains(normaliseFlags({"nvcc", "a.cu"}, "a.cu"), "-D__restrict__="));
  CHECK_FALSE(contains(normaliseFlags({"g++", "a.cpp"}, "a.cpp"), "-D__restrict__="));
  CHECK(contains(normaliseFlags({"g++", "-x", "c++", "a.c"}, "a.h"), "c++"));
}

TEST_CASE("nvcc's flags become those of its host compiler") {
  const Words result = kept("nvcc", {"-forward-unknown-to-host-compiler",
                                     "-gencode",
                                     "arch=compute_80,code=sm_80",
                                     "--generate-code=arch=compute_90,code=[compute_90,sm_90]",
                                     "-arch=sm_80",
                                     "--expt-relaxed-constexpr",
                                     "-Xcompiler",
                                     "-fPIC,-Wall,-DQ=1\\,2",
                                     "--compiler-options=-mavx2",
                                     "-rdc=true",
                                     "-isystem=/sys",
                                     "-I=/inc",
                                     "-Iinc2",
                                     "-I",
                                     "inc3,inc4",
                                     "-std",
                                     "c++17",
                                     "-D",
                                     "C=a,b",
                                     "-DD",
                                     "--use_fast_math",
                                     "-lineinfo",
                                     "-G",
                                     "-O",
                                     "3",
                                     "-Xptxas",
                                     "-v",
                                     "-t=4",
                                     "-maxrregcount=32",
                                     "--default-stream=per-thread",
                                     "-Werror",
                                     "all-warnings",
                                     "-c",
                                     "a.cpp",
                                     "-o",
                                     "a.o"});
  const Words expected = {"-D__CUDACC_RELAXED_CONSTEXPR__",
                          "-fPIC",
                          "-DQ=1,2",
                          "-mavx2",
                          "-fgpu-rdc",
                          "-isystem",
                          "/sys",
                          "-I",
                          "/inc",
                          "-Iinc2",
                          "-I",
                          "inc3",
                          "-I",
                          "inc4",
                          "-std=c++17",
                          "-DC=a,b",
                          "-DD",
                          "-O3",
                          "-fgpu-default-stream=per-thread"};
  REQUIRE(result.size() >= expected.size());
  // What may follow is the include folder of the toolkit, where there is one.
  CHECK(Words(result.begin(), result.begin() + expected.size()) == expected);
}

TEST_CASE("CUDA is parsed for the host alone") {
  const Words commandLine = GENERATE(
      Words{"nvcc", "-x", "cu", "-ccbin", "g++", "-gencode=arch=compute_80,code=sm_80", "a.cu"},
      Words{"nvcc", "-dc", "a.cu"}, Words{"/no/such/bin/nvcc", "-c", "a.cu"},
      Words{"clang++", "-x", "cuda", "--cuda-gpu-arch=sm_80", "--offload-arch=sm_90", "a.cu"},
      Words{"clang++", "--cuda-device-only", "a.cu"});
  const Words result = normaliseFlags(commandLine, "a.cu");
  CHECK(contains(result, "--cuda-host-only"));
  CHECK_FALSE(contains(result, "--cuda-device-only"));
  CHECK(std::none_of(result.begin(), result.end(),
                     [](const std::string &word) { return word.find("sm_") != word.npos; }));
  CHECK(clangAccepts(result));
}

TEST_CASE("the CUDA toolkit is that of nvcc") {
  Project project;
  project.write("cuda/bin/nvcc", "");
  project.write("cuda/include/cuda_runtime.h", "");
  const std::string nvcc = project.path("cuda/bin/nvcc");
  CHECK(contains(normaliseFlags({nvcc, "a.cu"}, "a.cu"), "--cuda-path=" + project.path("cuda")));
  // nvcc gives its include folder to the host compiler as well.
  CHECK(contains(normaliseFlags({nvcc, "a.cpp"}, "a.cpp"), project.path("cuda/include")));
  CHECK(contains(normaliseFlags({nvcc, "-ccbin=/opt/g++-11", "a.cpp"}, "a.cpp"), "/opt/g++-11"));
  // As well as Thrust and CUB, which lie in a folder of their own since CUDA 13.
  const std::string libraries = project.path("cuda/include/cccl");
  CHECK_FALSE(contains(normaliseFlags({nvcc, "a.cu"}, "a.cu"), libraries));
  project.write("cuda/include/cccl/thrust/complex.h", "");
  CHECK(contains(normaliseFlags({nvcc, "a.cu"}, "a.cu"), libraries));
  CHECK(contains(normaliseFlags({nvcc, "a.cpp"}, "a.cpp"), libraries));
  CHECK(contains(normaliseFlags({"clang++", "--cuda-path=" + project.path("cuda"), "a.cu"}, "a.cu"),
                 libraries));
}

TEST_CASE("without a CUDA toolkit, headers that the flags name are enough") {
  if (std::filesystem::exists("/usr/local/cuda") || std::filesystem::exists("/usr/lib/cuda"))
    return; // There is a toolkit.
  Project project;
  project.write("cuda_runtime.h", "");
  const Words with = normaliseFlags({"clang++", "-I" + project.path(), "a.cu"}, "a.cu");
  CHECK(contains(with, "-nocudainc"));
  CHECK(contains(with, "__clang_cuda_runtime_wrapper.h"));
  const Words without = normaliseFlags({"clang++", "a.cu"}, "a.cu");
  CHECK(contains(without, "-nocudainc"));
  CHECK_FALSE(contains(without, "__clang_cuda_runtime_wrapper.h"));
  CHECK(clangAccepts(without));
}
