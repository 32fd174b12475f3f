// Ends that nobody catches, in the main thread and in others: a sentence, and the exit code of a failed run.
#include "app/shared/last_words.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <thread>

namespace tessera {
namespace {

template <class Thrown>
void raise(Thrown thrown) {
  throw thrown;
}
template <class Thrown>
void endInAThread(LastWords words, Thrown thrown) {
  endWithASentence(words);
  std::thread([&] { raise(thrown); }).join();
}
template <class Thrown>
void endBelowNoexcept(LastWords words, Thrown thrown) {
  endWithASentence(words);
  [&]() noexcept { raise(thrown); }();
}

TEST(LastWordsDeathTest, MemoryEndsWithCodeFive) {
  const LastWords words{.json = true, .advice = "; unsaved work is kept"};
  EXPECT_EXIT(endInAThread(words, std::bad_alloc()), testing::ExitedWithCode(5),
              "error: not enough memory; unsaved work is kept\n");
  EXPECT_EXIT(endBelowNoexcept({}, std::bad_alloc()), testing::ExitedWithCode(5), "^error: not enough memory\n");
}

TEST(LastWordsDeathTest, WhatNobodyExpectsSaysItsWords) {
  EXPECT_EXIT(endInAThread({.advice = "; unsaved work is kept"}, std::runtime_error("the words")),
              testing::KilledBySignal(SIGABRT), "error: internal error: the words; unsaved work is kept\n");
  EXPECT_EXIT(endBelowNoexcept({}, 3), testing::KilledBySignal(SIGABRT), "^error: internal error\n");
}

}  // namespace
}  // namespace tessera
