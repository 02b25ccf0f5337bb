// Launches of kernels, as C++.
#include "analyzer/prove/LaunchSyntax.h"

#include <catch2/catch.hpp>

using Catch::Contains;
using gradtidy::withoutLaunchSyntax;

TEST_CASE("A launch becomes a call, on the same lines") {
  CHECK(withoutLaunchSyntax("void f() {\n  square<<<n / 4, 4>>>(x,\n    y);\n}\n") ==
        "void f() {\n  ::gradtidy::runtime::launcher([=](auto... arguments) { "
        "square(arguments...); }, n / 4, 4)(x,\n    y);\n}\n");
}

TEST_CASE("What is launched is a name, in a namespace and with arguments of a template perhaps") {
  CHECK_THAT(withoutLaunchSyntax("return own::square<float, List<int>><<<1, 2, 0, s>>>(x);"),
             Contains("return ::gradtidy::runtime::launcher([=](auto... arguments) { "
                      "own::square<float, List<int>>(arguments...); }, 1, 2, 0, s)(x);"));
  CHECK_THAT(withoutLaunchSyntax("{ ::square<<<1, 2>>>(x); }"),
             Contains("{ ::square(arguments...); }"));
  CHECK_THROWS_WITH(withoutLaunchSyntax("\n(fast ? a : b)<<<1, 2>>>(x);"),
                    Contains("line 2: what is launched has to be a name"));
}

TEST_CASE("Comments, texts and shifts stay") {
  const char *text = "// a<<<1, 2>>>(x)\nauto s = \"<<<>>>\"; auto n = 1 << 2; A<B<C<D>>> e;\n";
  CHECK(withoutLaunchSyntax(text) == text);
}
