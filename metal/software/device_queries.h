// The device's query methods, one per reported answer.
#pragma once
#include "metal/software/class_builder.h"
#include "metal/software/device.h"

namespace assay::software {

/// Registers the classes of objects that queries return.
void register_answer_classes();

/// Fills the answer slots from the device file. Needs register_answer_classes().
void fill_answers(Device& device);

/// Adds a method for every query that the file answers or that a fault names.
void add_query_methods(ClassBuilder& builder, const Device& device);

/// BOOL supportsFamily:(MTLGPUFamily), from the list that initGPUFamilySupport built.
BOOL supports_family(id self, SEL selector, metal::Integer family);

/// Computes the derived answers again by asking `device` which families it supports. An answer that the rule
/// does not explain at stock keeps its reported value.
void derive_answers(id device);

/// Fails the way the file says a query fails; returns when it does not.
void meet_status(const Answer& answer, std::string_view selector);

} // namespace assay::software
