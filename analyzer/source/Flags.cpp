#include "Flags.h"
#include "Paths.h"
#include "ResponseFiles.h"

#include "clang/Options/Options.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
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
namespace options = clang::options;

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

// --- clang's own table ---------------------------------------------------------------------------

/// Options (aliases count as what they stand for) and groups of options without meaning to the
/// parser, or that write files, print something, load plugins, or belong to another clang (its
/// resource folder).
const options::ID droppedOptions[] = {
    options::OPT_INPUT,
    options::OPT_UNKNOWN,
    options::OPT__DASH_DASH,
    // Output, dependencies, linking.
    options::OPT_Action_Group,
    options::OPT_M_Group,
    options::OPT_MJ,
    options::OPT_o,
    options::OPT_Link_Group,
    options::OPT_reserved_lib_Group,
    options::OPT_gfortran_Group,
    options::OPT_Wl_COMMA,
    options::OPT_Xlinker,
    options::OPT_Wa_COMMA,
    options::OPT_Xassembler,
    options::OPT_l,
    options::OPT_L,
    options::OPT_s,
    options::OPT_save_temps_EQ,
    options::OPT_fmodule_output,
    options::OPT_fmodule_output_EQ,
    options::OPT__serialize_diags,
    options::OPT_ftime_trace,
    options::OPT_ftime_trace_EQ,
    // What prints instead of parsing, and how diagnostics look.
    options::OPT_v,
    options::OPT__HASH_HASH_HASH,
    options::OPT_H,
    options::OPT_d_Group,
    options::OPT__version,
    options::OPT_help,
    options::OPT_time,
    options::OPT_C,
    options::OPT_CC,
    options::OPT_traditional_cpp,
    options::OPT_fmodule_header,
    options::OPT_fmodule_header_EQ,
    options::OPT_ftime_report,
    options::OPT_ftime_report_EQ,
    options::OPT_fcolor_diagnostics,
    options::OPT_fno_color_diagnostics,
    options::OPT_ferror_limit_EQ,
    // Code generation.
    options::OPT_DebugInfo_Group,
    options::OPT_clang_ignored_f_Group,
    options::OPT_clang_ignored_m_Group,
    options::OPT_clang_ignored_gcc_optimization_f_Group,
    options::OPT_m_Group,
    options::OPT_fpcc_struct_return,
    options::OPT_freg_struct_return,
    options::OPT_p,
    options::OPT_mllvm,
    options::OPT_pg,
    options::OPT_pipe,
    options::OPT_coverage,
    // Input and execution character sets other than UTF-8, which clang refuses.
    options::OPT_finput_charset_EQ,
    options::OPT_fexec_charset_EQ,
    // Warnings; -Wno-… is kept apart.
    options::OPT_Diag_Group,
    options::OPT_pedantic_Group,
    options::OPT_w,
    // Plugins, precompiled headers and built-in headers of another compiler.
    options::OPT_fplugin_EQ,
    options::OPT_fplugin_arg,
    options::OPT_fpass_plugin_EQ,
    options::OPT_include_pch,
    options::OPT_resource_dir,
    // CUDA is parsed for the host, where devices do not matter.
    options::OPT_offload_arch_EQ,
    options::OPT_no_offload_arch_EQ,
    options::OPT_cuda_include_ptx_EQ,
    options::OPT_no_cuda_include_ptx_EQ,
    options::OPT_offload_device_only,
    options::OPT_offload_host_device,
};

/// Exceptions: what names the target, whose macros and intrinsics code asks for.
const options::ID keptOptions[] = {
    options::OPT_m16,
    options::OPT_m32,
    options::OPT_m64,
    options::OPT_mx32,
    options::OPT_march_EQ,
    options::OPT_mcpu_EQ,
    options::OPT_mfpu_EQ,
    options::OPT_mfloat_abi_EQ,
    options::OPT_m_x86_Features_Group,
    options::OPT_m_x86_AVX10_Features_Group,
    options::OPT_m_aarch64_Features_Group,
    options::OPT_m_arm_Features_Group,
    options::OPT_m_ppc_Features_Group,
    options::OPT_m_riscv_Features_Group,
};

/// Families of code-generation options that have no group of their own.
const StringRef droppedPrefixes[] = {
    "fsanitize", "fno-sanitize", "fprofile",     "fno-profile", "fcoverage", "ftest-coverage",
    "flto",      "fno-lto",      "fdiagnostics", "fxray",       "fthinlto",  "fsave-optimization",
};

/// The words behind -Xclang that are dropped, and how many words each takes.
struct FrontendOption {
  StringRef name;
  size_t words;
};
const FrontendOption droppedFrontendOptions[] = {
    {"-load", 2},        {"-add-plugin", 2},        {"-plugin", 2},   {"-plugin-arg-", 2},
    {"-include-pch", 2}, {"-fno-pch-timestamp", 1}, {"-emit-pch", 1},
};

/// Folders with the built-in headers of a compiler, which clang cannot read if they are not its
/// own.
bool holdsBuiltinHeaders(StringRef folder) {
  static const llvm::Regex builtin("/lib(64)?/(gcc/[^/]+|clang)/[^/]+/include(-fixed)?/?$");
  return builtin.match(folder);
}

/// What to include in place of the header \p file that another compiler has precompiled, or
/// nothing if there is only its precompiled form.
std::optional<std::string> textualHeader(StringRef file, StringRef directory) {
  if (file.ends_with(".gch") || file.ends_with(".pch"))
    file = file.drop_back(4);
  bool precompiled = exists((file + ".gch").str(), directory) ||
                     exists((file + ".pch").str(), directory) ||
                     path::filename(file).starts_with("cmake_pch.");
  if (precompiled && !exists(file, directory))
    return std::nullopt;
  return file.str();
}

/// Filters a command line through clang's table of options.
class ClangFilter {
public:
  ClangFilter(const Arguments &arguments, StringRef directory) : directory(directory) {
    llvm::SmallVector<const char *, 64> words;
    for (const std::string &argument : llvm::drop_begin(arguments))
      if (!argument.empty())
        words.push_back(argument.c_str());
    const llvm::opt::InputArgList list(words.begin(), words.end());
    for (unsigned next = 0; next < words.size();) {
      unsigned first = next;
      std::unique_ptr<llvm::opt::Arg> argument = clang::getDriverOptTable().ParseOneArg(
          list, next, llvm::opt::Visibility(options::ClangOption));
      if (!argument)
        break; // The last option lacks its value.
      take(*argument, llvm::ArrayRef(words).slice(first, next - first));
    }
    takeFrontendOptions();
  }

  Arguments kept;
  std::string language;     ///< What -x says of the input, if it says anything.
  std::string cudaPath;     ///< Of a toolkit, if it is said.
  bool cudaHeaders = false; ///< An include folder holds CUDA's, as a package manager installs them.

private:
  StringRef directory;
  bool inputSeen = false;
  Arguments frontendOptions;

  void take(const llvm::opt::Arg &argument, llvm::ArrayRef<const char *> words) {
    const llvm::opt::Option &option = argument.getOption();
    auto isAny = [&](llvm::ArrayRef<options::ID> ids) {
      return llvm::any_of(ids, [&](options::ID id) { return option.matches(id); });
    };
    auto keep = [&] { kept.insert(kept.end(), words.begin(), words.end()); };

    StringRef first = words.front();
    if (first.starts_with("-Wno-")) // Some errors of clang are warnings that can be turned off.
      return keep();
    if (option.matches(options::OPT_x)) {
      if (!inputSeen)
        language = argument.getValue();
      return;
    }
    inputSeen |= option.matches(options::OPT_INPUT);
    if (option.matches(options::OPT_Xclang)) {
      frontendOptions.push_back(argument.getValue());
      return;
    }
    if (option.matches(options::OPT_Wp_COMMA))
      return takePreprocessorOptions(argument.getValues());
    if (option.hasFlag(options::Unsupported) || (isAny(droppedOptions) && !isAny(keptOptions)) ||
        llvm::any_of(droppedPrefixes,
                     [&](StringRef prefix) { return option.getName().starts_with(prefix); }))
      return;
    if (option.matches(options::OPT_include)) {
      if (std::optional<std::string> header = textualHeader(argument.getValue(), directory))
        include(*header);
      return;
    }
    if (isAny({options::OPT_I, options::OPT_isystem, options::OPT_idirafter})) {
      if (holdsBuiltinHeaders(argument.getValue()))
        return;
      cudaHeaders |= exists("cuda_runtime.h", absolutePath(argument.getValue(), directory));
    }
    if (option.matches(options::OPT_cuda_path_EQ))
      cudaPath = absolutePath(argument.getValue(), directory);
    keep();
  }

  /// The driver would take a precompiled form beside \p header, the compiler itself does not.
  void include(const std::string &header) {
    if (exists(header + ".gch", directory) || exists(header + ".pch", directory))
      kept.insert(kept.end(), {"-Xclang", "-include", "-Xclang", header});
    else
      kept.insert(kept.end(), {"-include", header});
  }

  void takePreprocessorOptions(llvm::ArrayRef<const char *> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      StringRef value = values[i];
      if (value == "-MD" || value == "-MMD" || value == "-MF" || value == "-MT")
        ++i; // With the name of a file.
      else if (value.starts_with("-D") || value.starts_with("-U") || value.starts_with("-I"))
        kept.push_back(value.str());
    }
  }

  void takeFrontendOptions() {
    llvm::ArrayRef<std::string> rest = frontendOptions;
    while (!rest.empty()) {
      const auto *dropped = llvm::find_if(droppedFrontendOptions, [&](const FrontendOption &row) {
        return row.name.ends_with("-") ? StringRef(rest.front()).starts_with(row.name)
                                       : rest.front() == row.name;
      });
      if (dropped != std::end(droppedFrontendOptions)) {
        rest = rest.drop_front(std::min(dropped->words, rest.size()));
      } else if (rest.front() == "-include" && rest.size() > 1) {
        if (std::optional<std::string> header = textualHeader(rest[1], directory))
          include(*header);
        rest = rest.drop_front(2);
      } else {
        kept.insert(kept.end(), {"-Xclang", rest.front()});
        rest = rest.drop_front();
      }
    }
  }
};

} // namespace

Arguments normaliseFlags(Arguments commandLine, StringRef file, StringRef directory) {
  const std::string workingDirectory = absolutePath(directory);
  Arguments arguments = dropLaunchers(std::move(commandLine));
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

  ClangFilter filter(arguments, workingDirectory);
  Arguments result = {arguments.front()};
  // g++ and its like read C sources as C++; a prefix names the target.
  static const bool targetsKnown = (llvm::InitializeAllTargetInfos(), true);
  (void)targetsKnown;
  clang::tooling::addTargetAndModeForProgramName(result, result.front());
  result.insert(result.end(), filter.kept.begin(), filter.kept.end());

  StringRef extension = path::extension(file);
  std::string language = filter.language == "none" ? "" : filter.language;
  if (language.empty() && isHeader(file))
    language = extension == ".cuh" ? "cuda" : "c++-header";
  bool cuda = language.empty() ? extension == ".cu" : language == "cuda";
  bool hip = language.empty() ? extension == ".hip" : language == "hip";
  if (nvcc || cuda) {
    const bool isNamed = !filter.cudaPath.empty();
    const std::string toolkit = isNamed ? filter.cudaPath : findCudaToolkit(nvcc ? compiler : "");
    if (cuda && !toolkit.empty()) {
      if (!isNamed)
        result.push_back("--cuda-path=" + toolkit);
    } else if (cuda) {
      result.push_back("-nocudainc"); // Without a toolkit the driver would give up.
      if (filter.cudaHeaders)         // What the driver includes where there is one.
        result.insert(result.begin() + 1, {"-include", "__clang_cuda_runtime_wrapper.h"});
    } else if (!toolkit.empty()) {
      result.insert(result.end(), {"-isystem", toolkit + "/include"}); // As nvcc does for C++.
    }
    // Thrust and CUB, which nvcc finds by itself and LibTorch includes.
    if (!toolkit.empty() && exists("include/cccl", toolkit))
      result.insert(result.end(), {"-isystem", toolkit + "/include/cccl"});
  }
  if (cuda || hip) {
    result.insert(result.end(), {"--cuda-host-only", "-nogpulib", "--no-cuda-version-check",
                                 "-Wno-unknown-cuda-version"});
  }
  if (llvm::any_of(result, [](StringRef flag) { return flag.starts_with("-Wno-"); }))
    result.push_back("-Wno-unknown-warning-option"); // gcc's own are silently fine in gcc.
  if (!language.empty())
    result.insert(result.end(), {"-x", language});
  result.insert(result.end(), {"-Qunused-arguments", "-fsyntax-only", file.str()});
  return result;
}

} // namespace gradtidy
