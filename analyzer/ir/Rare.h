// Parts that few objects of a kind have.
#pragma once

#include <memory>

namespace gradtidy {

/// A part of an object that is a new T in most objects of its kind: only what differs from a new T
/// takes memory, besides a pointer. Copies are deep.
template <typename T> class Rare {
public:
  Rare() = default;
  Rare(Rare &&) = default;
  Rare &operator=(Rare &&) = default;
  Rare(const Rare &other) : part(other.part ? std::make_unique<T>(*other.part) : nullptr) {}
  Rare &operator=(const Rare &other) { return *this = Rare(other); }

  const T &operator*() const {
    static const T none{};
    return part ? *part : none;
  }
  const T *operator->() const { return &**this; }

  /// What changes the part, for as long as this lives. Several may at a time.
  class Change {
  public:
    explicit Change(Rare &whole) : whole(whole) {}
    Change(const Change &) = delete;
    ~Change() {
      if (whole.part && *whole.part == T())
        whole.part = nullptr;
    }
    T &operator*() {
      if (!whole.part)
        whole.part = std::make_unique<T>();
      return *whole.part;
    }
    T *operator->() { return &**this; }

  private:
    Rare &whole;
  };
  Change change() { return Change(*this); }

private:
  std::unique_ptr<T> part;
};

} // namespace gradtidy
