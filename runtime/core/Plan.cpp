//===- Plan.cpp - a bundle in memory -----------------------------------------===//
//
// Look-ups by name and the text of messages.
//
//===-----------------------------------------------------------------------===//
#include "runtime/core/Plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace trainc;

std::string TensorType::str() const { return fmt::format("{}[{}]", nameOf(dtype), fmt::join(shape, ", ")); }

const Program *Plan::findProgram(std::string_view name) const {
  for (const Program &program : programs)
    if (program.name == name)
      return &program;
  return nullptr;
}

const StateEntry *Plan::findState(std::string_view scope, std::string_view role) const {
  for (const StateEntry &entry : state)
    if (entry.scope == scope && entry.role == role)
      return &entry;
  return nullptr;
}

int Plan::findSlot(std::string_view name) const {
  for (size_t i = 0; i < slots.size(); ++i)
    if (slots[i].name == name)
      return static_cast<int>(i);
  return -1;
}

std::string Plan::describe(const Body &body, size_t instruction) const {
  const std::string &loc = body.instructions[instruction].loc;
  return fmt::format("body '{}', instruction {}{}", body.name, instruction, loc.empty() ? "" : " (" + loc + ")");
}
