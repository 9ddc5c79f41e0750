// Catches Objective-C exceptions for C++ callers. The only Objective-C in the project: C++ can catch such an
// exception with catch (...), but cannot read it, and must not swallow it unread.
#include <stddef.h>
#include <string.h>

// What is asked of an exception and its texts; a protocol, because no class may be needed to link.
@protocol AssayException
- (id)name;
- (id)reason;
- (const char*)UTF8String;
@end

static void copy_text(id text, char* out, unsigned long size) {
    const char* bytes = text ? [(id<AssayException>)text UTF8String] : 0;
    if (!bytes)
        bytes = "";
    strncpy(out, bytes, size - 1);
    out[size - 1] = '\0';
}

int assay_metal_guard(void (*body)(void*), void* context, char* name, unsigned long name_size, char* reason,
                      unsigned long reason_size) {
    @try {
        body(context);
        return 0;
    } @catch (id exception) {
        copy_text([(id<AssayException>)exception name], name, name_size);
        copy_text([(id<AssayException>)exception reason], reason, reason_size);
        return 1;
    }
}
