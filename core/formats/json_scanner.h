// JsonScanner: a walk over a JSON text, member by member, that makes nothing of what it steps over. Any text may be
// given: where it is cut or damaged the walk ends. Used by core/profile, for traces of a million events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // The first character of what follows, behind spaces and comments; 0: the text ends, or is damaged.
  char next() {
    if (at_ != end_ && static_cast<unsigned char>(*at_) > ' ' && *at_ != '/') return *at_;
    return nextBehindSpace();
  }
  // Steps into the object '{' or list '[' that follows; false: another value follows, where the walk stays.
  bool enter(char bracket);
  // In an object: the name of the next member. Its value is to be walked or skipped before the next call. False: the
  // object has ended, or the walk. Names and texts stand until the next call.
  bool nextMember(std::string_view& name);
  // The same in a list.
  bool nextElement() { return separate(']'); }
  // Steps over the value; true: it is a text, told without escapes, or a number, told as it is written.
  bool scalar(std::string_view& text);
  void skip();

  bool damaged() const { return damaged_; }

 private:
  bool fail() {
    damaged_ = true;
    at_ = end_;
    return false;
  }
  char nextBehindSpace();
  void skipComment();
  bool separate(char close);
  bool string(std::string_view& out);
  bool unescape(const char* begin, std::string_view& out);
  bool appendEscape();
  int hexadecimal();
  bool number(std::string_view& out);
  bool word(std::string_view expected);
  bool skipOne();

  const char* at_;
  const char* end_;
  bool first_ = true;  // of an object or list: no comma precedes
  bool damaged_ = false;
  std::string unescaped_;
  std::vector<char> open_;  // closing brackets of what is stepped over
};

}  // namespace tessera
