// Changing methods of one class, all of them or none.
#include "shim/inject/class_edit.h"

#include <algorithm>
#include <cstdlib>

namespace assay::shim {

bool ClassEdit::owns(Method method) const {
    unsigned count = 0;
    Method* methods = runtime_.class_copy_method_list(target_, &count);
    const bool found = std::find(methods, methods + count, method) != methods + count;
    std::free(methods);
    return found;
}

bool ClassEdit::replace(Method method, const char* selector, IMP hook) {
#ifdef ASSAY_SHIM_FAIL_AFTER
    if (replaced_.size() == ASSAY_SHIM_FAIL_AFTER)
        return false;
#endif
    const IMP before = runtime_.method_get_implementation(method);
    if (owns(method))
        runtime_.method_set_implementation(method, hook);
    else if (!runtime_.class_add_method(target_, runtime_.sel_register_name(selector), hook,
                                        runtime_.method_get_type_encoding(method)))
        return false;
    replaced_.push_back({selector, before});
    return true;
}

IMP ClassEdit::stock(const char* selector) const {
    for (const auto& one : replaced_)
        if (one.selector == selector)
            return one.stock;
    return nullptr;
}

void ClassEdit::roll_back() {
    for (auto one = replaced_.rbegin(); one != replaced_.rend(); ++one)
        if (const auto method = runtime_.method(target_, one->selector.c_str()))
            runtime_.method_set_implementation(method, one->stock);
    replaced_.clear();
}

} // namespace assay::shim
