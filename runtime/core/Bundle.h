//===- Bundle.h - open a bundle and prove it sound --------------------------------===//
//
// loadBundle = readBundle (files, hashes, schema, references) + verifyPlan (memory and lifetimes). A plan that passes
// can be executed without further checks: no access leaves the arena, no live value is overwritten.
//
//===-----------------------------------------------------------------------===//
#pragma once

#include "runtime/core/Plan.h"
#include "runtime/core/Status.h"

namespace trainc {

/// Reads and proves the bundle in `folder`. Errors name the bundle's file and, inside it, body, instruction and value.
Result<Plan> loadBundle(const std::string &folder);

/// Reads the bundle in `folder`: every listed file has its SHA-256, the content hash holds, format and version are this
/// runtime's, the processor is able to run it, all fields have their type and range, all references exist.
Result<Plan> readBundle(const std::string &folder);

/// Proves what needs the whole plan: values, state, constants and workspaces lie in the arena; single assignment;
/// operands are defined before they are read; in-place pairs share their bytes and nothing else does; no instruction
/// overwrites bytes that are read later; rows bind what their bodies use, to bytes that no body writes; library calls
/// have the operands that their routine takes.
Status verifyPlan(const Plan &plan);

} // namespace trainc
