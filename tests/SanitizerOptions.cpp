// Memory that nobody has is refused under sanitizers as it is without them, and not the end.

extern "C" const char *__asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char *__tsan_default_options() { return "allocator_may_return_null=1"; }

// OpenBLAS is not built with the sanitizer, which sees what its threads clear, but not how they are
// told to.
extern "C" const char *__tsan_default_suppressions() { return "race:libopenblas.so\n"; }
