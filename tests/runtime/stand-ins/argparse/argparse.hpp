// What dcgan uses of p-ranav/argparse, for a program that is given no arguments.
#pragma once

#include <any>
#include <ostream>
#include <string>

namespace argparse {

class ArgumentParser {
public:
  explicit ArgumentParser(const std::string &) {}
  ArgumentParser &add_argument(const std::string &) { return *this; }
  ArgumentParser &help(const std::string &) { return *this; }
  template <class T> ArgumentParser &default_value(T value) {
    only = value;
    return *this;
  }
  template <char, class> ArgumentParser &scan() { return *this; }
  void parse_args(int, const char *const *) {}
  template <class T> T get(const std::string &) const { return std::any_cast<T>(only); }

private:
  std::any only;
};

inline std::ostream &operator<<(std::ostream &out, const ArgumentParser &) { return out; }

} // namespace argparse
