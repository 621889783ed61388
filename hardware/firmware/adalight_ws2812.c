/* Reference firmware: Adalight on the serial line, WS2812 LEDs on a pin. ATmega328P at 16 MHz (Arduino Uno, Nano).
 *
 * Frame in: 'A' 'd' 'a', hi, lo, hi ^ lo ^ 0x55 with hi:lo = LEDs - 1, then red, green, blue of every LED.
 * Out: "Ada\n" after the start and whenever the line has been idle for a while, so that the host knows we are here.
 *
 * - A frame that stops in the middle is dropped after FRAME_TIMEOUT_MS; one with a lost or broken byte at once.
 * - A header that asks for more LEDs than fit into memory is no header.
 * - Without a byte for DARK_MS the LEDs go dark, so that no dead host leaves them burning.
 * - While colours are shifted out (30 microseconds a LED) the line is not heard: hosts leave gaps between frames.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef BAUD_RATE
#define BAUD_RATE 115200UL
#endif
#ifndef MOST_LEDS
#define MOST_LEDS 512 /* three bytes each of the 2048 that the chip has */
#endif
#ifndef LED_BIT
#define LED_BIT 6 /* of port D: "pin 6" on the Arduino boards */
#endif

#define FRAME_TIMEOUT_MS 100
#define GREETING_MS 3000
#ifndef DARK_MS
#define DARK_MS 15000
#endif
#define HEADER_BYTES 6

static uint8_t colours[3 * MOST_LEDS]; /* green, red, blue: the order on a WS2812's wire */
static uint8_t window[HEADER_BYTES];   /* the last bytes outside a frame */
static uint16_t now_ms;                /* wraps; only differences are used */

static void start_timer(void)
{
    TCCR0A = _BV(WGM01); /* count to OCR0A, then begin again */
    TCCR0B = _BV(CS01) | _BV(CS00);
    OCR0A = F_CPU / 64 / 1000 - 1;
}

static void tick(void)
{
    if (TIFR0 & _BV(OCF0A)) {
        TIFR0 = _BV(OCF0A);
        now_ms++;
    }
}

static void start_serial(void)
{
    UBRR0 = (F_CPU / 4 / BAUD_RATE - 1) / 2; /* rounded; double speed */
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00); /* 8N1 */
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
}

static void greet(void)
{
    for (const char *text = "Ada\n"; *text; text++) {
        while (!(UCSR0A & _BV(UDRE0)))
            ;
        UDR0 = *text;
    }
}

/* Twenty cycles a bit (1.25 us): high for 5 (0.31 us) means 0, high for 12 (0.75 us) means 1. */
static void shift_out(uint16_t leds)
{
    const uint8_t *next = colours;
    const uint8_t high = PORTD | _BV(LED_BIT), low = PORTD & (uint8_t)~_BV(LED_BIT);
    uint8_t saved = SREG;
    cli();
    for (uint16_t left = 3 * leds; left; left--) {
        uint8_t byte = *next++, bits = 8;
        asm volatile("1: out  %[port], %[high] \n" /* 0 */
                     "   rjmp .+0              \n" /* 1, 2 */
                     "   nop                   \n" /* 3 */
                     "   sbrs %[byte], 7       \n" /* 4, and 5 when it skips */
                     "   out  %[port], %[low]  \n" /* 5 */
                     "   lsl  %[byte]          \n" /* 6 */
                     "   rjmp .+0              \n" /* 7, 8 */
                     "   rjmp .+0              \n" /* 9, 10 */
                     "   nop                   \n" /* 11 */
                     "   out  %[port], %[low]  \n" /* 12 */
                     "   rjmp .+0              \n" /* 13, 14 */
                     "   rjmp .+0              \n" /* 15, 16 */
                     "   dec  %[bits]          \n" /* 17 */
                     "   brne 1b               \n" /* 18, 19 */
                     : [byte] "+r"(byte), [bits] "+r"(bits)
                     : [port] "I"(_SFR_IO_ADDR(PORTD)), [high] "r"(high), [low] "r"(low));
    }
    SREG = saved;
}

static void go_dark(void)
{
    for (uint16_t i = 0; i < sizeof colours; i++)
        colours[i] = 0;
    shift_out(MOST_LEDS);
}

/* Takes a byte outside a frame; the number of LEDs when it completes a header, else 0. */
static uint16_t header_leds(uint8_t byte)
{
    for (uint8_t i = 1; i < HEADER_BYTES; i++)
        window[i - 1] = window[i];
    window[HEADER_BYTES - 1] = byte;
    if (window[0] != 'A' || window[1] != 'd' || window[2] != 'a' || byte != (window[3] ^ window[4] ^ 0x55))
        return 0;
    uint32_t leds = ((uint32_t)window[3] << 8) + window[4] + 1;
    window[0] = 0; /* used up */
    return leds <= MOST_LEDS ? leds : 0;
}

int main(void)
{
    static const uint8_t place[3] = {1, 0, 2}; /* of red, green, blue within a LED */
    uint16_t leds = 0, led = 0, heard_ms = 0, greeted_ms = 0;
    uint8_t channel = 0;
    bool lit = false;

    DDRD |= _BV(LED_BIT);
    start_timer();
    start_serial();
    go_dark();
    greet();
    for (;;) {
        tick();
        uint8_t state = UCSR0A;
        if (!(state & _BV(RXC0))) {
            uint16_t idle_ms = now_ms - heard_ms;
            if (leds && idle_ms > FRAME_TIMEOUT_MS)
                leds = 0;
            if (idle_ms > GREETING_MS && (uint16_t)(now_ms - greeted_ms) > GREETING_MS) {
                greet();
                greeted_ms = now_ms;
            }
            if (lit && idle_ms > DARK_MS) {
                go_dark();
                lit = false;
            }
            continue;
        }
        uint8_t byte = UDR0;
        heard_ms = now_ms;
        if (state & (_BV(FE0) | _BV(DOR0))) {
            leds = 0; /* a byte was broken or lost: the rest of the frame would be in the wrong place */
            window[0] = window[1] = window[2] = window[3] = window[4] = window[5] = 0;
        } else if (!leds) {
            leds = header_leds(byte);
            led = channel = 0;
        } else {
            colours[3 * led + place[channel]] = byte;
            if (++channel == 3) {
                channel = 0;
                if (++led == leds) {
                    shift_out(leds);
                    leds = 0;
                    lit = true;
                }
            }
        }
    }
}
