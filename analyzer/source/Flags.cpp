#include "Flags.h"
#include "FlagGate.h"
#include "Paths.h"
#include "ResponseFiles.h"

#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/TargetSelect.h"

#include <cstdlib>
#include <optional>

namespace gradtidy {
namespace {

using llvm::StringRef;
using Arguments = std::vector<std::string>;
namespace path = llvm::sys::path;

bool exists(StringRef file, StringRef directory) {
  return llvm::sys::fs::exists(absolutePath(file, directory));
}

// --- Launchers -----------------------------------------------------------------------------------

/// Whether \p word names a compiler: g++, x86_64-linux-gnu-g++-12, /usr/bin/c++, clang++-22, nvcc …
bool namesCompiler(StringRef word) {
  static const llvm::Regex compiler(
      "^([A-Za-z0-9_.]+-)*(cc|gcc|c\\+\\+|g\\+\\+|clang|clang\\+\\+|nvcc|nvc\\+\\+|hipcc|icx|icpx|"
      "mpicc|mpicxx|mpic\\+\\+|mpiCC)(-[0-9.]+)?(\\.exe)?$");
  return !word.starts_with("-") && compiler.match(path::filename(word));
}

/// Drops what stands before the compiler: ccache, distcc, env A=b, cmake -E __run_co_compile … --.
Arguments dropLaunchers(Arguments arguments) {
  // A compiler of unknown name is taken as it is, unless a known one follows it.
  auto compiler = llvm::find_if(arguments, namesCompiler);
  if (compiler != arguments.end())
    arguments.erase(arguments.begin(), compiler);
  static const StringRef launchers[] = {"ccache", "sccache", "distcc",
                                        "icecc",  "gomacc",  "buildcache"};
  if (arguments.size() > 1 && llvm::is_contained(launchers, path::stem(arguments.front())) &&
      !StringRef(arguments[1]).starts_with("-"))
    arguments.erase(arguments.begin());
  return arguments;
}

// --- nvcc ----------------------------------------------------------------------------------------

/// What becomes of an option of nvcc.
enum class Nvcc {
  Drop,    ///< A flag of no meaning to the parser.
  DropTwo, ///< The same, with a value: "-opt value" or "-opt=value".
  Replace, ///< A flag that clang spells otherwise.
  Join,    ///< With a value; clang's spelling, the value joined to it.
  Split,   ///< With a list of values, which become words of their own, each after the spelling.
};

struct NvccOption {
  StringRef names; ///< Divided by spaces.
  Nvcc action;
  StringRef clang = {};
};

/// Only what clang would not understand or would misread (-G takes a value in clang); all other
/// options go on to clang's own table.
const NvccOption nvccOptions[] = {
    {"-Xcompiler --compiler-options", Nvcc::Split},
    {"-I --include-path", Nvcc::Split, "-I"},
    {"-isystem --system-include", Nvcc::Split, "-isystem"},
    {"-include --pre-include", Nvcc::Split, "-include"},
    {"-D --define-macro", Nvcc::Join, "-D"},
    {"-U --undefine-macro", Nvcc::Join, "-U"},
    {"-std --std", Nvcc::Join, "-std="},
    {"-m --machine", Nvcc::Join, "-m"},
    {"-O --optimize", Nvcc::Join, "-O"},
    {"-x --x", Nvcc::Join, "-x"},
    {"-rdc --relocatable-device-code", Nvcc::DropTwo},
    {"-dc --device-c", Nvcc::Replace, "-fgpu-rdc"},
    {"-default-stream --default-stream", Nvcc::Join, "-fgpu-default-stream="},
    {"-extended-lambda --extended-lambda -expt-extended-lambda --expt-extended-lambda",
     Nvcc::Replace, "-D__CUDACC_EXTENDED_LAMBDA__"},
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr", Nvcc::Replace,
     "-D__CUDACC_RELAXED_CONSTEXPR__"},
    {"-G --device-debug -lineinfo --generate-line-info -use_fast_math --use_fast_math -dw "
     "--device-w -dlink --device-link -ptx --ptx -cubin --cubin -fatbin --fatbin -optix-ir "
     "--optix-ir -cuda --cuda -lib --lib -link --link -run --run -keep --keep -dryrun --dryrun "
     "-restrict --restrict -res-usage --resource-usage -ewp -extensible-whole-program "
     "--extensible-whole-program -clean --clean-targets -noprof --no-profile "
     "-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler "
     "-forward-unknown-to-host-linker --forward-unknown-to-host-linker "
     "-forward-slash-prefix-opts --forward-slash-prefix-opts "
     "-allow-unsupported-compiler --allow-unsupported-compiler",
     Nvcc::Drop},
    {"-ccbin --compiler-bindir -gencode --generate-code -arch --gpu-architecture -code --gpu-code "
     "-Xptxas --ptxas-options -Xnvlink --nvlink-options -Xlinker --linker-options -Xfatbin "
     "--fatbin-options -Xarchive --archive-options -maxrregcount --maxrregcount -t --threads "
     "-split-compile --split-compile -o --output-file -odir --output-directory -keep-dir "
     "--keep-dir -cudart --cudart -cudadevrt --cudadevrt -ldir --libdevice-directory -target-dir "
     "--target-directory -L --library-path -l --library -diag-suppress --diag-suppress "
     "-diag-error --diag-error -diag-warn --diag-warn -Werror --Werror -ftz --ftz -prec-div "
     "--prec-div -prec-sqrt --prec-sqrt -fmad --fmad -opt-info --opt-info -dopt --dopt "
     "-entries --entries -e -Ofc --Ofast-compile -MF --dependency-output -MT "
     "--dependency-target-name "
     "-idp --input-drive-prefix -ddp --dependency-drive-prefix -run-args --run-args -time --time",
     Nvcc::DropTwo},
};

/// The row of \p argument and, if joined to it, its value.
std::pair<const NvccOption *, std::optional<StringRef>> findNvccOption(StringRef argument) {
  static const llvm::StringMap<const NvccOption *> rows = [] {
    llvm::StringMap<const NvccOption *> map;
    for (const NvccOption &option : nvccOptions) {
      llvm::SmallVector<StringRef, 32> names;
      option.names.split(names, ' ', -1, /*KeepEmpty=*/false);
      for (StringRef name : names)
        map[name] = &option;
    }
    return map;
  }();
  if (const NvccOption *option = rows.lookup(argument))
    return {option, std::nullopt};
  auto [name, value] = argument.split('=');
  if (name.size() < argument.size())
    if (const NvccOption *option = rows.lookup(name))
      return {option, value};
  return {nullptr, std::nullopt};
}

/// Divides "a,b\,c" into "a" and "b,c", as nvcc reads lists of options.
llvm::SmallVector<std::string, 4> splitList(StringRef list) {
  llvm::SmallVector<std::string, 4> items(1);
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size() && list[i + 1] == ',')
      items.back() += list[++i];
    else if (list[i] == ',')
      items.emplace_back();
    else
      items.back() += list[i];
  }
  llvm::erase_if(items, [](const std::string &item) { return item.empty(); });
  return items;
}

/// nvcc's options as those of the host compiler that it calls, which takes nvcc's place.
Arguments translateNvcc(const Arguments &arguments) {
  Arguments result = {"g++"};
  for (size_t i = 1; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    auto [option, value] = findNvccOption(argument);
    if (!option) {
      result.push_back(arguments[i]);
      continue;
    }
    if (option->action == Nvcc::Drop)
      continue;
    if (option->action == Nvcc::Replace) {
      result.push_back(option->clang.str());
      continue;
    }
    if (!value && ++i < arguments.size())
      value = arguments[i];
    if (!value)
      break;
    if (option->action == Nvcc::Join) {
      bool cuda = option->clang == "-x" && *value == "cu";
      result.push_back((option->clang + (cuda ? "cuda" : *value)).str());
    } else if (option->action == Nvcc::Split) {
      for (std::string &item : splitList(*value)) {
        if (!option->clang.empty())
          result.push_back(option->clang.str());
        result.push_back(std::move(item));
      }
    } else if (option->names.contains("-ccbin") && namesCompiler(*value) &&
               (argument.starts_with("-ccbin") || argument.starts_with("--compiler-bindir"))) {
      result.front() = value->str();
    } else if (*value == "true" &&
               (argument.starts_with("-rdc") || argument.starts_with("--relocatable"))) {
      result.push_back("-fgpu-rdc");
    }
  }
  return result;
}

/// nvcc reads option files of its own, which are written as gcc's response files are.
void spellOptionFiles(Arguments &arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    auto [name, value] = StringRef(arguments[i]).split('=');
    if (name != "--options-file" && name != "-optf")
      continue;
    if (name.size() < arguments[i].size()) {
      arguments[i] = ("@" + value).str();
    } else if (i + 1 < arguments.size()) {
      arguments.erase(arguments.begin() + i);
      arguments[i].insert(0, "@");
    }
  }
}

/// The folder of the CUDA toolkit: nvcc's own, else the one the environment names, else the usual.
std::string findCudaToolkit(StringRef nvcc) {
  llvm::SmallVector<std::string, 4> candidates;
  if (path::is_absolute(nvcc)) {
    llvm::SmallString<256> real;
    if (!llvm::sys::fs::real_path(nvcc, real))
      candidates.push_back(path::parent_path(path::parent_path(real)).str());
    candidates.push_back(path::parent_path(path::parent_path(nvcc)).str());
  }
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *value = std::getenv(variable))
      candidates.push_back(value);
  candidates.push_back("/usr/local/cuda");
  candidates.push_back("/usr/lib/cuda"); // Debian's nvidia-cuda-toolkit.
  for (std::string &candidate : candidates)
    if (exists("include/cuda_runtime.h", candidate) && exists("bin", candidate))
      return candidate;
  return {};
}

// --- The compiler's name

/// Adds what the name of the compiler says: g++ and its like read C sources as C++, a prefix names
/// the target. Of the modes of clang's driver these two alone parse sources as the gate reads the
/// flags; configuration files, which lie beside the compiler, hold flags that no gate has seen.
void addMode(Arguments &commandLine) {
  static const bool targetsKnown = (llvm::InitializeAllTargetInfos(), true);
  (void)targetsKnown;
  Arguments said = {commandLine.front()};
  clang::tooling::addTargetAndModeForProgramName(said, said.front());
  const bool isCxx = llvm::is_contained(said, "--driver-mode=g++");
  commandLine.push_back(isCxx ? "--driver-mode=g++" : "--driver-mode=gcc");
  for (StringRef word : llvm::drop_begin(said))
    if (StringRef target = word; target.consume_front("--target=") && isCpuTarget(target))
      commandLine.push_back(word.str());
  commandLine.push_back("--no-default-config");
}

} // namespace

std::vector<std::string> normaliseFlags(const FlagsRequest &request,
                                        std::vector<std::string> *refused) {
  const std::string workingDirectory = absolutePath(request.directory);
  Arguments arguments = dropLaunchers(request.commandLine);
  // Without a compiler's name: nothing at all, or options alone.
  if (arguments.empty() || StringRef("@-").contains(arguments.front().substr(0, 1)))
    arguments.insert(arguments.begin(), "c++");
  std::string compiler = arguments.front();
  bool nvcc = path::stem(compiler) == "nvcc";
  if (nvcc)
    spellOptionFiles(arguments);
  // Files that cannot be read leave their words, which are dropped like any other input.
  if (auto expanded = expandResponseFiles(arguments, workingDirectory))
    arguments = std::move(*expanded);
  else
    llvm::consumeError(expanded.takeError());
  if (nvcc)
    arguments = translateNvcc(arguments);

  Arguments result = {arguments.front()};
  result.insert(result.end(), request.ownBefore.begin(), request.ownBefore.end());
  addMode(result);
  FlagGate gate(workingDirectory);
  gate.take(request.before, FlagOrigin::Configuration);
  const auto isRemoved = [&](const std::string &word) {
    return llvm::is_contained(request.removed, word);
  };
  Arguments words(arguments.begin() + 1, arguments.end());
  llvm::erase_if(words, isRemoved);
  gate.take(words, request.origin);
  gate.take(request.after, FlagOrigin::Configuration);
  if (refused)
    *refused = gate.refused;
  const size_t preinclude = result.size();
  result.insert(result.end(), gate.flags.begin(), gate.flags.end());

  StringRef file = request.file;
  StringRef extension = path::extension(file);
  std::string language = gate.language == "none" ? "" : gate.language;
  // Line markers of what was preprocessed make code a system's: a project may say that of its own.
  if (request.origin != FlagOrigin::Person) {
    if (language == "c++-cpp-output" || (language.empty() && extension == ".ii"))
      language = "c++";
    else if (language == "cpp-output" || (language.empty() && extension == ".i"))
      language = "c";
  }
  if (language.empty() && isHeader(file))
    language = extension == ".cuh" ? "cuda" : "c++-header";
  bool cuda = language.empty() ? extension == ".cu" : language == "cuda";
  bool hip = language.empty() ? extension == ".hip" : language == "hip";
  if (nvcc || cuda) {
    const bool isNamed = !gate.cudaPath.empty();
    const std::string toolkit = isNamed ? gate.cudaPath : findCudaToolkit(nvcc ? compiler : "");
    if (cuda && !toolkit.empty()) {
      if (!isNamed)
        result.push_back("--cuda-path=" + toolkit);
    } else if (cuda) {
      result.push_back("-nocudainc"); // Without a toolkit the driver would give up.
      if (gate.cudaHeaders)           // What the driver includes where there is one.
        result.insert(result.begin() + preinclude, {"-include", "__clang_cuda_runtime_wrapper.h"});
    } else if (!toolkit.empty()) {
      result.insert(result.end(), {"-isystem", toolkit + "/include"}); // As nvcc does for C++.
    }
    // Thrust and CUB, which nvcc finds by itself and LibTorch includes.
    if (!toolkit.empty() && exists("include/cccl", toolkit))
      result.insert(result.end(), {"-isystem", toolkit + "/include/cccl"});
  }
  if (cuda) // nvcc takes it of objects, too, such as packed accessors; clang would not.
    result.push_back("-D__restrict__=");
  if (cuda || hip) {
    result.insert(result.end(), {"--cuda-host-only", "-nogpulib", "--no-cuda-version-check",
                                 "-Wno-unknown-cuda-version"});
  }
  if (llvm::any_of(result, [](StringRef flag) { return flag.starts_with("-Wno-"); }))
    result.push_back("-Wno-unknown-warning-option"); // gcc's own are silently fine in gcc.
  if (!language.empty())
    result.insert(result.end(), {"-x", language});
  result.insert(result.end(), {"-Qunused-arguments", "-fsyntax-only"});
  result.insert(result.end(), request.ownAfter.begin(), request.ownAfter.end());
  result.push_back(file.str());
  return result;
}

std::vector<std::string> normaliseFlags(std::vector<std::string> commandLine, StringRef file,
                                        StringRef directory) {
  FlagsRequest request;
  request.commandLine = std::move(commandLine);
  request.file = file.str();
  request.directory = directory.str();
  return normaliseFlags(request);
}

} // namespace gradtidy
