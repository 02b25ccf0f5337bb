#include "analyzer/source/FlagGate.h"
#include "analyzer/source/Flags.h"

#include "clang/Options/Options.h"
#include "llvm/Option/OptTable.h"

#include <catch2/catch.hpp>

#include <algorithm>

using gradtidy::FlagGate;
using gradtidy::FlagOrigin;
using Words = std::vector<std::string>;

namespace {

Words passed(const Words &words, FlagOrigin origin = FlagOrigin::Database) {
  FlagGate gate("/p");
  gate.take(words, origin);
  return gate.flags;
}

} // namespace

TEST_CASE("The gate lets pass what parsing needs") {
  const Words words = GENERATE(
      Words{"-DA=1"}, Words{"-D", "-MD"}, Words{"-UA"}, Words{"-undef"}, Words{"-imacros", "m.h"},
      Words{"-Iinc"}, Words{"-isystem", "s"}, Words{"-iquote", "q"}, Words{"-idirafter", "a"},
      Words{"--embed-dir=e"}, Words{"-nostdinc++"}, Words{"-stdlib=libc++"}, Words{"--sysroot=/s"},
      Words{"--gcc-toolchain=/g"}, Words{"-std=c++23"}, Words{"-ansi"}, Words{"-pthread"},
      Words{"-O2"}, Words{"-Ofast"}, Words{"--target=aarch64-linux-gnu"}, Words{"-m32"},
      Words{"-march=native"}, Words{"-mavx512f"}, Words{"-mno-sse4.2"}, Words{"-fno-exceptions"},
      Words{"-fno-rtti"}, Words{"-fopenmp=libomp"}, Words{"-fPIC"}, Words{"-fno-builtin-printf"},
      Words{"-fvisibility=hidden"}, Words{"-ftemplate-depth=2048"}, Words{"-fms-extensions"},
      Words{"-fchar8_t"}, Words{"-Xclang", "-fno-deprecated-macro"},
      Words{"-Xclang", "-target-feature", "-Xclang", "+avx2"});
  CHECK(passed(words) == words);
  CHECK(passed(words, FlagOrigin::Configuration) == words);
  CHECK(passed(words, FlagOrigin::Person) == words);
}

TEST_CASE("The gate refuses what writes, starts or loads") {
  const Words words = GENERATE(
      Words{"-MD", "-MF", "x"}, Words{"-Wp,-MD,x"}, Words{"--serialize-diagnostics", "x"},
      Words{"-MJ", "x"}, Words{"-o", "x"}, Words{"-save-temps"}, Words{"-save-stats=cwd"},
      Words{"-ftime-trace=x"}, Words{"-fplugin=x.so"}, Words{"-fpass-plugin=x.so"},
      Words{"-mllvm", "-load=x.so"}, Words{"-Xclang", "-load", "-Xclang", "x.so"},
      Words{"-Xclang", "-stats-file=x"}, Words{"-Xclang", "-dependency-dot", "-Xclang", "x"},
      Words{"-Xarch_host", "-save-temps"}, Words{"-Xarch_x86_64", "-DX"}, Words{"--config=x"},
      Words{"-gen-cdb-fragment-path", "x"}, Words{"-fmodules", "-fmodules-cache-path=x"},
      Words{"-include-pch", "x"}, Words{"-ivfsoverlay", "x"}, Words{"-fmodule-file=x"},
      Words{"--offload-arch=native"}, Words{"--target=nvptx64"},
      Words{"--target=amdgcn-amd-amdhsa"}, Words{"--driver-mode=cl"}, Words{"-resource-dir=x"},
      Words{"-fcrash-diagnostics-dir=x"}, Words{"--warning-suppression-mappings=x"}, Words{"-Bx"},
      Words{"-fno-integrated-cc1"}, Words{"-fno-such-flag"}, Words{"-E"}, Words{"x.o"}, Words{"@x"},
      Words{"-I"});
  CAPTURE(words);
  CHECK(passed(words).empty());
  CHECK(passed(words, FlagOrigin::Configuration).empty());
}

TEST_CASE("What stands behind other options passes the same gate") {
  CHECK(passed({"-Xpreprocessor", "-DA", "-Xpreprocessor", "-MD", "-Xpreprocessor", "x"}) ==
        Words{"-DA"});
  CHECK(passed({"-Wp,-DA,-MMD,x,-Iinc"}) == Words{"-DA", "-Iinc"});
  CHECK(passed({"-Xpreprocessor", "-Wp,-DA,-MD"}) == Words{"-DA"});
  CHECK(passed({"-Xarch_host", "-DA", "-Xarch_device", "-DB"}) == Words{"-DA"});
  CHECK(passed({"-Xclang", "-o", "-Xclang", "x", "-Xclang", "-DA"}) == Words{"-Xclang", "-DA"});
}

TEST_CASE("A header is included by its text, whatever lies beside it") {
  const Words text = {"-Xclang", "-include", "-Xclang", "a.h"};
  CHECK(passed({"-include", "a.h"}) == text);
  CHECK(passed({"--include=a.h"}) == text);
  CHECK(passed({"-Xclang", "-include", "-Xclang", "a.h"}) == text);
}

TEST_CASE("Warnings are for configuration files to choose") {
  CHECK(passed({"-Wall", "-Werror=vla", "-Wno-x"}) == Words{"-Wno-x"});
  CHECK(passed({"-Wall", "-Wno-x"}, FlagOrigin::Configuration) == Words{"-Wall", "-Wno-x"});
}

TEST_CASE("The language is one of sources") {
  FlagGate gate("/p");
  gate.take(Words{"-x", "cuda", "a.cu", "-x", "none"}, FlagOrigin::Database);
  CHECK(gate.language == "cuda");
  gate.take(Words{"-x", "ast"}, FlagOrigin::Configuration);
  CHECK(gate.language == "cuda");
  CHECK(gate.refused == Words{"-x"});
}

TEST_CASE("Options that are missed are named once") {
  FlagGate gate("/p");
  gate.take(Words{"-ivfsoverlay", "x", "-ivfsoverlay", "y", "-MD", "-Wl,-x"}, FlagOrigin::Database);
  CHECK(gate.refused == Words{"-ivfsoverlay"});
}

TEST_CASE("Flags of the person who runs gradtidy are not judged") {
  CHECK(passed({"-ivfsoverlay", "x", "-o", "y", "-fno-gnu-unique"}, FlagOrigin::Person) ==
        Words{"-ivfsoverlay", "x"});
}

TEST_CASE("RemovedArgs takes words of the database alone") {
  gradtidy::FlagsRequest request;
  request.commandLine = {"clang++", "-D", "-MD", "-D", "-MF", "-Dx", "-c", "a.cpp"};
  request.file = "/p/a.cpp";
  const Words whole = gradtidy::normaliseFlags(request);
  request.removed = whole;
  request.removed.push_back("-D");
  const Words rest = gradtidy::normaliseFlags(request);
  CHECK(rest == Words{"clang++", "--driver-mode=g++", "--no-default-config", "-Qunused-arguments",
                      "-fsyntax-only", "/p/a.cpp"});
}

TEST_CASE("Every option that clang adds is refused until it is listed") {
  // What passes with a value that names a file: options that read, and no other.
  const llvm::opt::OptTable &table = clang::getDriverOptTable();
  Words names;
  for (unsigned id = 1; id <= table.getNumOptions(); ++id) {
    const llvm::opt::Option option = table.getOption(id);
    const std::string name = option.getPrefixedName().str();
    if (option.getKind() == llvm::opt::Option::GroupClass ||
        option.getKind() == llvm::opt::Option::InputClass)
      continue;
    for (const Words &words :
         {Words{name, "/v/victim"}, Words{name + "/v/victim"},
          Words{"-Xclang", name, "-Xclang", "/v/victim"}, Words{"-Xclang", name + "/v/victim"}}) {
      const Words flags = passed(words);
      if (std::any_of(flags.begin(), flags.end(),
                      [](const std::string &word) { return word.find("/v/victim") != word.npos; }))
        names.push_back(option.getUnaliasedOption().getPrefixedName().str());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const Words writing = {"-o",
                         "-MF",
                         "-MJ",
                         "-dependency-file",
                         "-ftime-trace=",
                         "-load",
                         "-fplugin=",
                         "--serialize-diagnostics",
                         "-ivfsoverlay"};
  for (const std::string &name : writing)
    CHECK_FALSE(std::binary_search(names.begin(), names.end(), name));
  // Written in one word it is an -include.
  CHECK(passed({"-Xclang", "-include-pch", "-Xclang", "/v/victim"}) == Words());
  CHECK(std::binary_search(names.begin(), names.end(), "-I"));
  CAPTURE(names);
  CHECK(names.size() < 110);
}
