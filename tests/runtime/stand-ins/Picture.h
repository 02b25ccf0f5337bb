// A picture for every file name: stripes of one of a few colours, whose steps depend on the name.
#pragma once

#include <string>
#include <vector>

/// `side` x `side` pixels of three bytes, row by row.
inline std::vector<unsigned char> pictureOf(const std::string &path, int side) {
  unsigned hash = 2166136261u;
  for (char c : path.substr(path.find_last_of('/') + 1))
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  std::vector<unsigned char> bytes;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      for (unsigned channel = 0; channel < 3; ++channel)
        bytes.push_back(static_cast<unsigned char>((static_cast<unsigned>(x) * (1 + hash % 5) +
                                                    static_cast<unsigned>(y) * (hash >> 8) % 7) *
                                                       (1 + (hash >> 16) % 3) +
                                                   channel * (hash >> 24)));
  return bytes;
}
