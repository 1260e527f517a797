// A collector that stores nothing, for upload benchmarks. It runs in a separate process.
//
//     batch-sink CERTIFICATE KEY      listens with TLS on a free port of 127.0.0.1, and prints the port
//
// It decompresses each batch while receiving it, counts the lines, and answers with a receipt for all of them. It exits
// at the end of its standard input.
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

struct batch {
    ZSTD_DCtx *context;
    size_t lines;
    int failed;
};

static size_t count_lines(const char *bytes, size_t count) {
    size_t lines = 0;
    const char *end = bytes + count;
    for (; (bytes = memchr(bytes, '\n', (size_t)(end - bytes))) != NULL; bytes++) lines++;
    return lines;
}

static void take(struct batch *batch, const char *bytes, size_t count) {
    if (batch->context == NULL) {
        batch->lines += count_lines(bytes, count);
        return;
    }
    static char text[1 << 17];
    ZSTD_inBuffer input = {bytes, count, 0};
    size_t written;
    do {
        ZSTD_outBuffer output = {text, sizeof text, 0};
        if (ZSTD_isError(ZSTD_decompressStream(batch->context, &output, &input))) {
            batch->failed = 1;
            return;
        }
        written = output.pos;
        batch->lines += count_lines(text, written);
    } while (input.pos < input.size || written == sizeof text);
}

static enum MHD_Result handle(
    void *unused, struct MHD_Connection *connection, const char *url, const char *method, const char *version,
    const char *upload, size_t *upload_count, void **state) {
    (void)unused, (void)url, (void)method, (void)version;
    struct batch *batch = *state;
    if (batch == NULL) {
        batch = calloc(1, sizeof *batch);
        if (batch == NULL) return MHD_NO;
        const char *encoding = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Encoding");
        if (encoding != NULL && strcmp(encoding, "zstd") == 0) batch->context = ZSTD_createDCtx();
        *state = batch;
        return MHD_YES;
    }
    if (*upload_count > 0) {
        take(batch, upload, *upload_count);
        *upload_count = 0;
        return MHD_YES;
    }
    char text[96];
    // The first line is the header.
    size_t count = batch->lines > 0 ? batch->lines - 1 : 0;
    snprintf(text, sizeof text, "{\"accepted\":%zu,\"duplicate\":0,\"rejected\":[]}", count);
    struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", "application/json");
    enum MHD_Result result = MHD_queue_response(connection, batch->failed ? 400 : 200, response);
    MHD_destroy_response(response);
    return result;
}

static void forget(
    void *unused, struct MHD_Connection *connection, void **state, enum MHD_RequestTerminationCode code) {
    (void)unused, (void)connection, (void)code;
    struct batch *batch = *state;
    if (batch == NULL) return;
    ZSTD_freeDCtx(batch->context);
    free(batch);
    *state = NULL;
}

static char *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return NULL;
    char *text = calloc(1, 1 << 16);
    if (text != NULL && fread(text, 1, (1 << 16) - 1, file) == 0) text[0] = 0;
    fclose(file);
    return text;
}

int main(int count, char **arguments) {
    char *certificate = count == 3 ? contents(arguments[1]) : NULL;
    char *key = count == 3 ? contents(arguments[2]) : NULL;
    if (certificate == NULL || key == NULL) {
        fprintf(stderr, "usage: batch-sink CERTIFICATE KEY\n");
        return 2;
    }
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_TLS, 0, NULL, NULL, handle, NULL,
        MHD_OPTION_HTTPS_MEM_CERT, certificate, MHD_OPTION_HTTPS_MEM_KEY, key,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)1 << 18,
        MHD_OPTION_NOTIFY_COMPLETED, forget, NULL, MHD_OPTION_END);
    if (daemon == NULL) {
        fprintf(stderr, "batch-sink: cannot listen\n");
        return 1;
    }
    printf("%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    MHD_stop_daemon(daemon);
    return 0;
}
