"""An aspect that lints the sources of cc_library, cc_binary and cc_test.

    bazel build //... --aspects=//tools:gradtidy.bzl%gradtidy --output_groups=gradtidy

gradtidy is taken from the PATH. Each source is linted with the flags of its target; findings are in
bazel-bin/PACKAGE/TARGET.gradtidy.txt, and findings of level 0 fail the build.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain", "use_cpp_toolchain")

_EXTENSIONS = ["cc", "cpp", "cxx", "cu"]

def _gradtidy_impl(target, ctx):
    if CcInfo not in target or not hasattr(ctx.rule.attr, "srcs"):
        return []
    sources = [f for src in ctx.rule.attr.srcs for f in src.files.to_list() if f.extension in _EXTENSIONS and f.is_source]
    if not sources:
        return []
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(ctx = ctx, cc_toolchain = toolchain)
    context = target[CcInfo].compilation_context
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + getattr(ctx.rule.attr, "copts", []),
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = context.system_includes,
        preprocessor_defines = depset(transitive = [context.defines, context.local_defines]),
    )
    flags = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = ACTION_NAMES.cpp_compile,
        variables = variables,
    )
    report = ctx.actions.declare_file(ctx.label.name + ".gradtidy.txt")
    arguments = ctx.actions.args()
    arguments.add(report)
    arguments.add_all(sources)
    arguments.add("--")
    arguments.add_all(flags)
    ctx.actions.run_shell(
        inputs = depset(sources, transitive = [context.headers, toolchain.all_files]),
        outputs = [report],
        command = 'report=$1; shift; gradtidy --quiet --strict --no-cache "$@" >"$report" || { cat "$report"; exit 1; }',
        arguments = [arguments],
        use_default_shell_env = True,
        mnemonic = "Gradtidy",
        progress_message = "Linting %{label}",
    )
    return [OutputGroupInfo(gradtidy = depset([report]))]

gradtidy = aspect(
    implementation = _gradtidy_impl,
    fragments = ["cpp"],
    toolchains = use_cpp_toolchain(),
)
