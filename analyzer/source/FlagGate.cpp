#include "FlagGate.h"
#include "Paths.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/TargetParser/Triple.h"

#include <optional>
#include <utility>

namespace gradtidy {
namespace {

using llvm::StringRef;
namespace path = llvm::sys::path;
namespace options = clang::options;

bool exists(StringRef file, StringRef directory) {
  return llvm::sys::fs::exists(absolutePath(file, directory));
}

// --- What is allowed -----------------------------------------------------------------------------

/// Options (aliases count as what they stand for) and groups of options that parsing needs. The -f
/// flags are below.
const options::ID allowedOptions[] = {
    // Macros and files to include.
    options::OPT_D,
    options::OPT_U,
    options::OPT_undef,
    options::OPT_include,
    options::OPT_imacros,
    // Folders to search.
    options::OPT_I,
    options::OPT_isystem,
    options::OPT_isystem_after,
    options::OPT_cxx_isystem,
    options::OPT_c_isystem,
    options::OPT_stdlibxx_isystem,
    options::OPT_internal_isystem,
    options::OPT_internal_externc_isystem,
    options::OPT_idirafter,
    options::OPT_iquote,
    options::OPT_iprefix,
    options::OPT_iwithprefix,
    options::OPT_iwithprefixbefore,
    options::OPT_iwithsysroot,
    options::OPT_F,
    options::OPT_iframework,
    options::OPT_iframeworkwithsysroot,
    options::OPT_embed_dir_EQ,
    options::OPT_system_header_prefix,
    options::OPT_no_system_header_prefix,
    options::OPT_working_directory,
    options::OPT_nostdinc,
    options::OPT_nostdincxx,
    options::OPT_nostdlibinc,
    options::OPT_nobuiltininc,
    options::OPT_ibuiltininc,
    // The toolchain.
    options::OPT__sysroot_EQ,
    options::OPT_isysroot,
    options::OPT_gcc_toolchain,
    options::OPT_gcc_install_dir_EQ,
    options::OPT_gcc_triple_EQ,
    options::OPT_stdlib_EQ,
    options::OPT_cuda_path_EQ,
    options::OPT_cuda_path_ignore_env,
    options::OPT_no_offload_inc,
    options::OPT_hip_path_EQ,
    options::OPT_hip_version_EQ,
    options::OPT_rocm_path_EQ,
    options::OPT_nohipwrapperinc,
    // The language.
    options::OPT_x,
    options::OPT_std_EQ,
    options::OPT_ansi,
    options::OPT_pthread,
    options::OPT_no_pthread,
    options::OPT_pthreads,
    options::OPT_O_Group,
    // The target: its macros and intrinsics.
    options::OPT_target,
    options::OPT_arch,
    options::OPT_m16,
    options::OPT_m32,
    options::OPT_m64,
    options::OPT_mx32,
    options::OPT_march_EQ,
    options::OPT_mcpu_EQ,
    options::OPT_mfpu_EQ,
    options::OPT_mfloat_abi_EQ,
    options::OPT_mmacos_version_min_EQ,
    options::OPT_m_x86_Features_Group,
    options::OPT_m_x86_AVX10_Features_Group,
    options::OPT_m_aarch64_Features_Group,
    options::OPT_m_arm_Features_Group,
    options::OPT_m_ppc_Features_Group,
    options::OPT_m_riscv_Features_Group,
    options::OPT_target_cpu,
    options::OPT_target_feature,
};

/// The -f flags that change what a program means, and macros that tell of them; without "f" and
/// "fno-", with "=" where a value follows. Behind -Xclang stand some of the compiler's own.
constexpr StringRef allowedFeatures = R"(
  access-control aligned-allocation aligned-new aligned-new= apple-kext apple-pragma-pack
  application-extension approx-func asm-blocks associative-math async-exceptions
  asynchronous-unwind-tables blocks borland-extensions bracket-depth builtin builtin- c++-abi=
  cf-protection cf-protection= char8_t check-new clang-abi-compat= common complete-member-pointers
  complex-arithmetic= const-strings constant-cfstrings constexpr-depth= constexpr-steps=
  convergent-functions coro-aligned-allocation coroutines cuid= cx-fortran-rules cx-limited-range
  cxx-exceptions declspec default-calling-conv= defer-ts define-target-os-macros
  delayed-template-parsing delete-null-pointer-checks deprecated-macro digraphs
  dollars-in-identifiers elide-constructors elide-type emulated-tls enable-matrix
  escaping-block-tail-calls exceptions experimental-late-parse-attributes experimental-library
  experimental-new-constant-interpreter extend-arguments= fast-math file-prefix-map=
  finite-math-only fixed-point float16-excess-precision= force-enable-int128 fp-contract=
  fp-eval-method= fp-exception-behavior= fp-model= freestanding gnu-inline-asm gnu-keywords
  gnu89-inline gnuc-version= gpu-allow-device-init gpu-default-stream= gpu-defer-diag
  gpu-exclude-wrong-side-overloads gpu-rdc hip-kernel-arg-name hip-new-launch-api honor-infinities
  honor-nans hosted inline inline-functions knr-functions lax-vector-conversions
  lax-vector-conversions= macro-prefix-map= math-errno max-type-align= ms-compatibility
  ms-compatibility-version= ms-define-stdc ms-extensions ms-memptr-rep= ms-volatile msc-version=
  named-loops native-half-arguments-and-returns native-half-type native-int16-type new-alignment=
  new-infallible objc-arc objc-arc-exceptions objc-exceptions objc-runtime= objc-weak
  offload-implicit-host-device-templates omit-frame-pointer openacc openmp openmp=
  openmp-extensions openmp-simd openmp-version= operator-arrow-depth= operator-names
  optimize-sibling-calls pack-struct pack-struct= pascal-strings PIC pic PIE pie
  raw-string-literals reciprocal-math relaxed-template-template-args ropi rounding-math rtti
  rtti-data rwpi seh-exceptions semantic-interposition short-enums short-wchar signed-char
  signed-wchar signed-zeros sized-deallocation sjlj-exceptions stack-protector stack-protector-all
  stack-protector-strong strict-aliasing strict-enums strict-flex-arrays= strict-overflow
  strict-return template-depth= threadsafe-statics tls-model= trapping-math trapv trigraphs
  unsafe-math-optimizations unsigned-char unwind-tables use-cxa-atexit visibility=
  visibility-inlines-hidden wasm-exceptions wchar wchar-type= wrapv wrapv-pointer writable-strings
  xl-pragma-pack zos-extensions zvector
)";

/// The languages of sources. Others have clang read its own binary formats.
constexpr StringRef allowedLanguages =
    "none c c-header c++ c++-header c++-module objective-c objective-c-header objective-c++ "
    "objective-c++-header cuda hip cpp-output c++-cpp-output";

/// What does not pass although it changes what a program means, which is to be said.
const options::ID meaningfulOptions[] = {
    options::OPT_ivfsoverlay,
    options::OPT_vfsoverlay,
    options::OPT_remap_file,
    options::OPT_config,
    options::OPT_config_system_dir_EQ,
    options::OPT_config_user_dir_EQ,
    options::OPT_fmodule_file,
    options::OPT_fmodule_map_file,
    options::OPT_fprebuilt_module_path,
    options::OPT_fplugin_EQ,
    options::OPT_load,
    options::OPT_chain_include,
    options::OPT_fapinotes,
    options::OPT_iapinotes_modules,
    options::OPT_Xarch__,
    options::OPT_target,
    options::OPT_x,
};

// --- What flags of the person who runs gradtidy lose ---------------------------------------------

/// Options and groups that are no business of a parser.
const options::ID uselessOptions[] = {
    options::OPT_INPUT,
    options::OPT_UNKNOWN,
    options::OPT__DASH_DASH,
    options::OPT_Action_Group,
    options::OPT_M_Group,
    options::OPT_MJ,
    options::OPT_o,
    options::OPT_Link_Group,
    options::OPT_reserved_lib_Group,
    options::OPT_gfortran_Group,
    options::OPT_clang_ignored_f_Group,
    options::OPT_clang_ignored_m_Group,
    options::OPT_clang_ignored_gcc_optimization_f_Group,
    options::OPT_Diag_Group,
    options::OPT_pedantic_Group,
    options::OPT_w,
};

bool isAny(const llvm::opt::Option &option, llvm::ArrayRef<options::ID> ids) {
  return llvm::any_of(ids, [&](options::ID id) { return option.matches(id); });
}

bool isAllowedFeature(const llvm::opt::Option &option) {
  static const llvm::StringSet<> features = [] {
    llvm::StringSet<> set;
    llvm::SmallVector<StringRef, 256> names;
    llvm::SplitString(allowedFeatures, names);
    set.insert(names.begin(), names.end());
    return set;
  }();
  StringRef name = option.getName();
  if (!name.consume_front("f"))
    return false;
  if (features.contains(name))
    return true;
  return name.consume_front("no-") && features.contains(name);
}

/// Those of warnings; the file that some of them name is none of a stranger's to choose.
bool isWarning(const llvm::opt::Option &option) {
  return (option.matches(options::OPT_Diag_Group) || option.matches(options::OPT_pedantic_Group) ||
          option.matches(options::OPT_w)) &&
         !option.matches(options::OPT_R_Group) &&
         !option.matches(options::OPT_warning_suppression_mappings_EQ);
}

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

using OptionTaker = llvm::function_ref<void(const llvm::opt::Arg &, llvm::ArrayRef<const char *>)>;

/// Hands each option among \p words, read as \p visibility says, to \p take.
void readOptions(llvm::ArrayRef<std::string> words, unsigned visibility, OptionTaker take) {
  llvm::SmallVector<const char *, 64> list;
  for (const std::string &word : words)
    if (!word.empty())
      list.push_back(word.c_str());
  const llvm::opt::InputArgList arguments(list.begin(), list.end());
  for (unsigned next = 0; next < list.size();) {
    const unsigned first = next;
    const std::unique_ptr<llvm::opt::Arg> argument =
        clang::getDriverOptTable().ParseOneArg(arguments, next, llvm::opt::Visibility(visibility));
    if (!argument)
      break; // The last option lacks its value.
    take(*argument, llvm::ArrayRef(list).slice(first, next - first));
  }
}

} // namespace

bool isCpuTarget(StringRef target) {
  const llvm::Triple triple(llvm::Triple::normalize(target));
  return triple.isX86() || triple.isARM() || triple.isThumb() || triple.isAArch64() ||
         triple.isPPC() || triple.isRISCV() || triple.isMIPS() || triple.isSystemZ() ||
         triple.isLoongArch() || triple.isSPARC() || triple.isWasm();
}

void FlagGate::take(llvm::ArrayRef<std::string> words, FlagOrigin from) {
  origin = from;
  inputSeen = false;
  takeDriverWords(words);
  while (!preprocessorWords.empty()) // -Xpreprocessor may hold another -Wp,
    takeDriverWords(std::exchange(preprocessorWords, {}));
  takeFrontendWords();
}

void FlagGate::takeDriverWords(llvm::ArrayRef<std::string> words) {
  readOptions(words, options::ClangOption,
              [&](const auto &argument, auto own) { takeDriverOption(argument, own); });
}

/// Of what stands behind -Xclang, in the language of the compiler proper.
void FlagGate::takeFrontendWords() {
  const std::vector<std::string> words = std::exchange(frontendWords, {});
  readOptions(words, options::CC1Option, [&](const auto &argument, auto own) {
    const llvm::opt::Option &option = argument.getOption();
    if (option.matches(options::OPT_include))
      return takeInclude(argument.getValue());
    const bool passes = origin == FlagOrigin::Person
                            ? isAny(option, allowedOptions) || !isAny(option, uselessOptions)
                            : !option.matches(options::OPT_x) &&
                                  (isAny(option, allowedOptions) || isAllowedFeature(option) ||
                                   (isWarning(option) && origin == FlagOrigin::Configuration) ||
                                   StringRef(own.front()).starts_with("-Wno-"));
    if (!passes)
      return refuse(argument);
    for (const char *word : own)
      flags.insert(flags.end(), {"-Xclang", word});
  });
}

void FlagGate::takeDriverOption(const llvm::opt::Arg &argument,
                                llvm::ArrayRef<const char *> words) {
  const llvm::opt::Option &option = argument.getOption();
  const bool isPerson = origin == FlagOrigin::Person;
  const auto pass = [&] { flags.insert(flags.end(), words.begin(), words.end()); };

  if (option.matches(options::OPT_INPUT)) {
    inputSeen = true;
    return;
  }
  // Some errors of clang are warnings that can be turned off.
  if (StringRef(words.front()).starts_with("-Wno-") && isWarning(option))
    return pass();
  if (option.matches(options::OPT_x)) {
    llvm::SmallVector<StringRef, 16> languages;
    llvm::SplitString(allowedLanguages, languages);
    if (!isPerson && !llvm::is_contained(languages, argument.getValue()))
      refuse(argument);
    else if (!inputSeen)
      language = argument.getValue();
    return;
  }
  if (option.matches(options::OPT_Xclang)) {
    frontendWords.push_back(argument.getValue());
    return;
  }
  if (option.matches(options::OPT_Wp_COMMA) || option.matches(options::OPT_Xpreprocessor)) {
    llvm::append_range(preprocessorWords, argument.getValues());
    return;
  }
  if (option.matches(options::OPT_Xarch_host)) // What is parsed is for the host.
    return takeDriverWords(std::string(argument.getValue()));
  if (option.hasFlag(options::Unsupported))
    return;
  const bool isWanted = isPerson ? isAny(option, allowedOptions) || !isAny(option, uselessOptions)
                                 : isAny(option, allowedOptions) || isAllowedFeature(option) ||
                                       (origin == FlagOrigin::Configuration && isWarning(option));
  if (!isWanted)
    return refuse(argument);
  if (option.matches(options::OPT_include))
    return takeInclude(argument.getValue());
  if (option.matches(options::OPT_target) && !isPerson && !isCpuTarget(argument.getValue()))
    return refuse(argument);
  if (takeFolder(argument))
    pass();
}

/// False for a folder that is not to be searched.
bool FlagGate::takeFolder(const llvm::opt::Arg &argument) {
  const llvm::opt::Option &option = argument.getOption();
  if (isAny(option, {options::OPT_I, options::OPT_isystem, options::OPT_idirafter})) {
    if (holdsBuiltinHeaders(argument.getValue()))
      return false;
    cudaHeaders |= exists("cuda_runtime.h", absolutePath(argument.getValue(), directory));
  }
  if (option.matches(options::OPT_cuda_path_EQ))
    cudaPath = absolutePath(argument.getValue(), directory);
  if (option.matches(options::OPT_working_directory))
    directory = absolutePath(argument.getValue(), directory);
  return true;
}

/// The driver would take a precompiled form beside \p header; the compiler proper does not, so it
/// is told itself.
void FlagGate::takeInclude(StringRef header) {
  if (std::optional<std::string> text = textualHeader(header, directory))
    flags.insert(flags.end(), {"-Xclang", "-include", "-Xclang", *text});
}

void FlagGate::refuse(const llvm::opt::Arg &argument) {
  if (!isAny(argument.getOption(), meaningfulOptions))
    return;
  const std::string spelling = argument.getOption().getPrefixedName().str();
  if (!llvm::is_contained(refused, spelling))
    refused.push_back(spelling);
}

} // namespace gradtidy
