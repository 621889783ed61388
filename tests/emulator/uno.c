/* An Arduino Uno on a pseudo-terminal: runs a firmware in libsimavr, with a serial line that is as bad as a real one,
 * and reads the WS2812 signal on pin 6 back into colours.
 *
 *   uno FIRMWARE.elf PATH BOOT_MS
 *
 * PATH becomes a link to the pseudo-terminal. Opening it resets the chip, which is deaf for BOOT_MS (its boot loader).
 * Bytes take ten bit times at the host's baud rate, are sampled bit by bit at the chip's own (so that a wrong rate
 * gives what it gives on a wire), and are lost when the two-byte buffer and the shift register are full.
 * Commands on standard input, one a line: unplug, plug, stall (take nothing from the host), resume, quit.
 * Output, one a line: "picture MS RRGGBB…", "lost N" bytes so far after each loss, "glitch CYCLES" for a pulse no LED
 * understands, "reset", "baud HOST CHIP" when the rates are first used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <simavr/avr_ioport.h>
#include <simavr/sim_avr.h>
#include <simavr/sim_elf.h>

enum { UCSRA = 0xC0, UBRRL = 0xC4, UBRRH = 0xC5, UDR = 0xC6 };
enum { RXC = 0x80, TXC = 0x40, UDRE = 0x20, FE = 0x10, DOR = 0x08, U2X = 0x02 };
enum { RING = 64, STRIP_BYTES = 3 * 2048 };
static const uint64_t HZ = 16000000, MS = 16000, LATCH = 4480; /* 280 us low: the LEDs take their colours */

/* One direction of the line: the last bytes sent, when each began, and the sampling state of the receiver. */
struct wire {
    uint8_t byte[RING];
    uint64_t start[RING];
    unsigned sent;     /* bytes so far */
    uint64_t free_at;  /* when the next may begin */
    uint64_t seek;     /* the receiver looks for a start bit from here */
};

static avr_t *avr;
static int master = -1;
static const char *path;
static struct wire down, up; /* host to chip, chip to host */
static struct { uint8_t byte, errors; } buffer[3]; /* two bytes of buffer, one of shift register */
static unsigned buffered, lost;
static uint8_t adapter[128]; /* what the USB adapter holds on its way to the line */
static unsigned adapter_bytes, adapter_at;
static bool overrun, stalled, opened, told_baud;
static uint64_t boot_until, boot_cycles;
static uint8_t strip[STRIP_BYTES];
static unsigned strip_bits;
static bool pin_high;
static uint64_t pin_at;

static double host_bit(void)
{
    static const struct { speed_t code; double baud; } known[] = {
        {B9600, 9600}, {B19200, 19200}, {B38400, 38400}, {B57600, 57600}, {B115200, 115200},
        {B230400, 230400}, {B500000, 500000}, {B1000000, 1000000}};
    struct termios settings;
    if (master >= 0 && tcgetattr(master, &settings) == 0)
        for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
            if (cfgetospeed(&settings) == known[i].code)
                return HZ / known[i].baud;
    return HZ / 115200.0;
}

static double chip_bit(void)
{
    unsigned divisor = avr->data[UBRRL] + 256 * (avr->data[UBRRH] & 15) + 1;
    return divisor * (avr->data[UCSRA] & U2X ? 8.0 : 16.0);
}

static void send(struct wire *wire, uint8_t byte, uint64_t now, double bit)
{
    unsigned i = wire->sent++ % RING;
    wire->byte[i] = byte;
    wire->start[i] = wire->free_at > now ? wire->free_at : now;
    wire->free_at = wire->start[i] + (uint64_t)(10 * bit);
}

/* The level of the line at a moment; high when nothing is being sent. */
static bool level(const struct wire *wire, double at, double bit)
{
    for (unsigned n = wire->sent; n && wire->sent - n < RING; n--) {
        double since = at - (double)wire->start[(n - 1) % RING];
        if (since < 0)
            continue;
        int place = (int)(since / bit);
        return place > 8 ? true : place == 0 ? false : wire->byte[(n - 1) % RING] >> (place - 1) & 1;
    }
    return true;
}

/* The next byte that a receiver with bit time `own` makes of the line, -1 when none is complete yet. */
static int sample(struct wire *wire, double bit, double own, uint64_t now, bool *broken)
{
    while (wire->seek < now && level(wire, wire->seek, bit))
        wire->seek += 8;
    if (wire->seek + 9.5 * own >= now)
        return -1;
    int byte = 0;
    for (int i = 0; i < 8; i++)
        byte |= level(wire, wire->seek + (i + 1.5) * own, bit) << i;
    *broken = !level(wire, wire->seek + 9.5 * own, bit);
    wire->seek += (uint64_t)(9.5 * own);
    while (wire->seek < now && !level(wire, wire->seek, bit))
        wire->seek += 8; /* a start bit is an edge */
    return byte;
}

static uint8_t read_status(avr_t *a, avr_io_addr_t addr, void *param)
{
    (void)param;
    uint8_t state = a->data[addr] & U2X;
    if (buffered)
        state |= RXC | buffer[0].errors;
    if (overrun)
        state |= DOR;
    if (up.free_at <= a->cycle + (uint64_t)(10 * chip_bit()))
        state |= UDRE;
    if (up.free_at <= a->cycle)
        state |= TXC;
    return state;
}

static void write_status(avr_t *a, avr_io_addr_t addr, uint8_t value, void *param)
{
    (void)param;
    a->data[addr] = value & U2X;
}

static uint8_t read_data(avr_t *a, avr_io_addr_t addr, void *param)
{
    (void)a, (void)addr, (void)param;
    uint8_t byte = buffer[0].byte;
    overrun = false;
    if (buffered)
        memmove(buffer, buffer + 1, --buffered * sizeof *buffer);
    return byte;
}

static void write_data(avr_t *a, avr_io_addr_t addr, uint8_t value, void *param)
{
    (void)addr, (void)param;
    send(&up, value, a->cycle, chip_bit());
}

/* The chip's input: whole bytes go into the buffer, or are lost. */
static void receive(void)
{
    bool broken;
    int byte;
    while ((byte = sample(&down, host_bit(), chip_bit(), avr->cycle, &broken)) >= 0) {
        if (avr->cycle < boot_until)
            continue;
        if (buffered == 3) {
            overrun = true;
            printf("lost %u\n", ++lost);
            continue;
        }
        buffer[buffered].byte = (uint8_t)byte;
        buffer[buffered++].errors = broken ? FE : 0;
    }
}

static void show_picture(void)
{
    printf("picture %llu ", (unsigned long long)(avr->cycle / MS));
    for (unsigned i = 0; i + 2 < strip_bits / 8; i += 3)
        printf("%02x%02x%02x", strip[i + 1], strip[i], strip[i + 2]); /* green comes first on the wire */
    printf("\n");
    strip_bits = 0;
}

/* Pulse lengths of the WS2812B: high for 0.2 to 0.5 us is a 0, for 0.55 to 1.1 us a 1; long silence shows the picture. */
static void pin_changed(struct avr_irq_t *irq, uint32_t value, void *param)
{
    (void)irq, (void)param;
    if (!!value == pin_high)
        return;
    uint64_t length = avr->cycle - pin_at;
    pin_at = avr->cycle;
    pin_high = !!value;
    if (pin_high) {
        if (strip_bits && length >= LATCH)
            show_picture();
        else if (strip_bits && length > 80)
            printf("glitch %llu\n", (unsigned long long)length);
        return;
    }
    bool zero = length >= 3 && length <= 8, one = length >= 9 && length <= 17;
    if (!zero && !one)
        printf("glitch %llu\n", (unsigned long long)length);
    if (strip_bits / 8 < STRIP_BYTES) {
        uint8_t *byte = &strip[strip_bits++ / 8];
        *byte = (uint8_t)(*byte << 1 | one);
    }
}

static void reset_chip(void)
{
    avr_reset(avr);
    buffered = 0;
    overrun = false;
    boot_until = avr->cycle + boot_cycles;
    printf("reset\n");
}

static void unplug(void)
{
    if (master >= 0) {
        unlink(path);
        close(master);
        master = -1;
        opened = false;
    }
}

static void plug(void)
{
    int slave;
    char name[64], fresh[512];
    struct termios settings;
    unplug();
    if (openpty(&master, &slave, name, NULL, NULL) != 0)
        exit(2);
    tcgetattr(slave, &settings);
    cfmakeraw(&settings);
    tcsetattr(slave, TCSANOW, &settings);
    close(slave); /* from now on poll() tells whether somebody has it open */
    fcntl(master, F_SETFL, O_NONBLOCK);
    snprintf(fresh, sizeof fresh, "%s.new", path);
    adapter_bytes = adapter_at = 0;
    unlink(fresh);
    if (symlink(name, fresh) != 0 || rename(fresh, path) != 0)
        exit(2);
    reset_chip();
}

/* What happens outside the chip, once a millisecond of its time. */
static void look_outside(void)
{
    char line[64];
    struct pollfd input = {0, POLLIN, 0};
    while (poll(&input, 1, 0) > 0) {
        if (!fgets(line, sizeof line, stdin) || !strcmp(line, "quit\n"))
            exit(0);
        if (!strcmp(line, "unplug\n"))
            unplug();
        else if (!strcmp(line, "plug\n"))
            plug();
        else
            stalled = !strcmp(line, "stall\n");
    }
    if (strip_bits && !pin_high && avr->cycle - pin_at >= LATCH)
        show_picture();
    if (master < 0)
        return;
    struct pollfd terminal = {master, POLLIN, 0};
    poll(&terminal, 1, 0);
    bool is_open = !(terminal.revents & POLLHUP);
    if (is_open && !opened) {
        told_baud = false;
        reset_chip();
    }
    opened = is_open;
    if (adapter_at == adapter_bytes && !stalled) {
        ssize_t got = read(master, adapter, sizeof adapter);
        adapter_at = 0;
        adapter_bytes = got > 0 ? (unsigned)got : 0;
    }
    bool broken;
    int byte;
    while ((byte = sample(&up, chip_bit(), host_bit(), avr->cycle, &broken)) >= 0) {
        uint8_t out = (uint8_t)byte;
        if (is_open && write(master, &out, 1) < 0 && errno != EAGAIN)
            opened = false;
    }
}

/* A byte from the host goes onto the line when the one before has gone. */
static void take_from_host(void)
{
    if (adapter_at >= adapter_bytes || down.free_at > avr->cycle)
        return;
    if (!told_baud) /* not before: the host sets its rate a moment after it has opened the port */
        printf("baud %.0f %.0f\n", HZ / host_bit(), HZ / chip_bit());
    told_baud = true;
    send(&down, adapter[adapter_at++], avr->cycle, host_bit());
}

static void replace_serial(void)
{
    avr->io[AVR_DATA_TO_IO(UCSRA)].r.c = read_status;
    avr->io[AVR_DATA_TO_IO(UCSRA)].w.c = write_status;
    avr->io[AVR_DATA_TO_IO(UDR)].r.c = read_data;
    avr->io[AVR_DATA_TO_IO(UDR)].w.c = write_data;
    for (int addr = UBRRL; addr <= UBRRH; addr++)
        avr->io[AVR_DATA_TO_IO(addr)].w.c = NULL;
}

static uint64_t clock_cycles(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * HZ + (uint64_t)now.tv_nsec * 2 / 125;
}

int main(int argc, char **argv)
{
    static elf_firmware_t firmware;
    if (argc != 4 || elf_read_firmware(argv[1], &firmware) != 0)
        return 2;
    path = argv[2];
    boot_cycles = (uint64_t)atoi(argv[3]) * MS;
    setvbuf(stdout, NULL, _IOLBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0);
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    firmware.frequency = (uint32_t)HZ;
    avr_load_firmware(avr, &firmware);
    replace_serial();
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 6), pin_changed, NULL);
    plug();
    uint64_t begin = clock_cycles() - avr->cycle, next_ms = 0, next_byte = 0;
    for (;;) {
        if (avr->cycle < boot_until || master < 0)
            avr->cycle += 160; /* no power, or the boot loader: time passes */
        else if (avr_run(avr) == cpu_Crashed)
            return 3;
        if (avr->cycle >= next_byte) {
            next_byte = avr->cycle + 160;
            take_from_host();
            receive();
        }
        if (avr->cycle >= next_ms) {
            next_ms = avr->cycle + MS;
            look_outside();
            while (clock_cycles() - begin < avr->cycle)
                usleep(500);
        }
    }
}
