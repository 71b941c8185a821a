/** Tokens of a second of sound, and of a second of film with its sound (Gemini, published: 32, and 258 + 32). */
const AUDIO_TOKENS = 32
const VIDEO_TOKENS = 290
/** Base64 characters of a second: sound at 128 kbit/s, film at 1 Mbit/s. */
const AUDIO_SECOND_CHARS = 21_300
const VIDEO_SECOND_CHARS = 167_000
/** Seconds of a recording of which nothing is known but its address. */
const UNKNOWN_SECONDS = 60

/** Tokens of a recording by Gemini's published rates, its length guessed from the base64 characters it has. */
export function recordingTokens(kind: 'audio' | 'video', bytes: number): number {
  return kind === 'audio'
    ? AUDIO_TOKENS * seconds(bytes, AUDIO_SECOND_CHARS)
    : VIDEO_TOKENS * seconds(bytes, VIDEO_SECOND_CHARS)
}

function seconds(bytes: number, charsPerSecond: number): number {
  return bytes === 0 ? UNKNOWN_SECONDS : Math.ceil(bytes / charsPerSecond)
}
