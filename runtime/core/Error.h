// Errors: every failure of the runtime is an exception of class Error, whose text is the one
// LibTorch gives for the same mistake, since users search for these words.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <type_traits>

namespace gradtidy::runtime {

class Error : public std::exception {
public:
  explicit Error(std::string message) : message(std::move(message)) {}
  const char *what() const noexcept override { return message.c_str(); }
  const char *what_without_backtrace() const noexcept { return message.c_str(); }
  const std::string &msg() const noexcept { return message; }

private:
  std::string message;
};

/// An index or dimension outside its range.
class IndexError : public Error {
  using Error::Error;
};
/// An operation that is not there for this type or device.
class NotImplementedError : public Error {
  using Error::Error;
};
/// An argument of the right type whose value makes no sense.
class ValueError : public Error {
  using Error::Error;
};
/// An argument of a type that is not allowed.
class TypeError : public Error {
  using Error::Error;
};

namespace detail {

inline std::string toText(const char *text) { return text; }
inline std::string toText(std::string text) { return text; }
inline std::string toText(char c) { return std::string(1, c); }
template <class T> std::string toText(const T &value) requires std::is_integral_v<T> {
  return std::to_string(value);
}
/// As streams print it: "0.1", "-1".
std::string toText(double value);
inline std::string toText(float value) { return toText(double{value}); }

} // namespace detail

/// The texts of all arguments, joined. A type takes part through a toText() beside it.
template <class... Ts> std::string concat(const Ts &...parts) {
  using detail::toText;
  return (std::string() + ... + toText(parts));
}

/// The same by operator<<, for programs.
template <class... Ts> std::string str(const Ts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

template <class... Ts> [[noreturn]] void fail(const Ts &...parts) { throw Error(concat(parts...)); }

/// What TORCH_CHECK throws; the condition is shown where there is no text.
template <class... Ts> [[noreturn]] void failCheck(const char *condition, const Ts &...parts) {
  if constexpr (sizeof...(Ts) == 0)
    fail(
        "Expected ", condition,
        " to be true, but got false.  (Could this error message be improved?  If so, please report "
        "an enhancement request to PyTorch.)");
  else
    fail(parts...);
}

} // namespace gradtidy::runtime

/// Throws Error with the joined texts unless `condition` holds; the texts are made only then.
#define TORCH_CHECK(condition, ...)                                                                \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      ::gradtidy::runtime::failCheck(#condition __VA_OPT__(, ) __VA_ARGS__);                       \
    }                                                                                              \
  } while (false)

/// The same with an error of another kind.
#define TORCH_CHECK_WITH(Kind, condition, ...)                                                     \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      throw ::gradtidy::runtime::Kind(::gradtidy::runtime::concat(__VA_ARGS__));                   \
    }                                                                                              \
  } while (false)
#define TORCH_CHECK_INDEX(...) TORCH_CHECK_WITH(IndexError, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(...) TORCH_CHECK_WITH(NotImplementedError, __VA_ARGS__)
#define TORCH_CHECK_VALUE(...) TORCH_CHECK_WITH(ValueError, __VA_ARGS__)
#define TORCH_CHECK_TYPE(...) TORCH_CHECK_WITH(TypeError, __VA_ARGS__)

#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define AT_ASSERT TORCH_CHECK
