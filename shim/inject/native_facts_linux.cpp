// Linux half of system_facts.h: a Metal that is not the software device says nothing about the system.
#include "shim/inject/system_facts.h"

namespace assay::shim {

SystemFacts native_facts(const void*, Class) {
    SystemFacts facts;
    facts.backend = "metal";
    return facts;
}

} // namespace assay::shim
