/**
 * Words that make a sentence a rule or a correction, by language. Short on purpose: a sentence found too many costs a
 * line, and the words around decide nothing here.
 */
const WORDS: Readonly<Record<string, string>> = {
  english: `must|mustn['’]?t|never|always|don['’]?t|do not|does not|doesn['’]?t|shall|should(?:n['’]?t)?|only|instead|rather|unless
    |without|avoid|ensure|make sure|keep|stick to|no longer|not allowed|forbidden|required?|requirement|at (?:most|least)|exactly
    |prefer|please use|use|not|no|stop|leave .{1,60} alone|from now on|actually|wrong|can(?:no|['’])t|won['’]?t|cannot|need to|needs to
    |(?:answer|respond|reply|write|speak|talk) in|limit|constraint|deadline|remember`,
  vietnamese: `phải|không được|không nên|không cần|đừng|chớ|luôn|chỉ|thay vì|thay vào|không bao giờ|cấm|tuyệt đối|bắt buộc|tránh|cần
    |hãy|nhớ|đảm bảo|giữ nguyên|trừ khi|bằng tiếng`,
  german: `muss|müssen|musst|müsst|darf|dürfen|darfst|nie|niemals|immer|nicht|kein(?:e[nmrs]?)?|nur|ausschließlich|stattdessen|statt|anstatt
    |vermeide[nt]?|unbedingt|soll(?:st|te|ten|en)?|bitte|sondern|auf keinen fall`,
  french: `doit|doivent|dois|devez|devons|il faut|faut|jamais|toujours|pas|seulement|uniquement|plutôt|au lieu|à la place|interdit[es]*
    |obligatoire(?:ment)?|évite[rz]?|sans|surtout|veille[rz]?|aucune?|ne`,
  spanish: `debe(?:s|n|mos)?|deber(?:ía|ías|ían)?|nunca|jamás|siempre|solo|sólo|solamente|únicamente|en vez de|en lugar de|evita[rn]?
    |obligatorio|prohibido|hay que|tienes? que|no|sin|mejor`,
  russian: `должн[аоы]|должен|обязательно|никогда|всегда|нельзя|не|только|вместо|запрещ(?:ено|ается|ён|ена)|надо|нужно|лишь
    |исключительно|избега(?:й|йте|ть)|ни в коем случае`,
  portuguese: 'deve[mr]?|nunca|sempre|apenas|somente|em vez de|evite|não|obrigatório|proibido',
  italian: 'deve|devono|devi|mai|sempre|solo|soltanto|invece|evita(?:re)?|non|obbligatorio|vietato',
}

/** Languages without spaces between words, or with endings that carry the rule. */
const PIECES: Readonly<Record<string, string>> = {
  chinese: `必须|必須|必需|务必|務必|一定要|不要|不能|不可|不准|不得|不许|不許|不应|不應|禁止|切勿|请勿|請勿|勿|别(?![的人处名]|墅)|別(?![的人處名])|永远|永遠|总是|總是|始终|始終
    |只能|只用|只要|只可|仅|僅|而不是|而非|改为|改為|改用|改成|应该|應該|绝不|絕不|不用|代替|避免|用.{1,12}(?:回答|回复|回覆)|确保|確保|保持`,
  japanese:
    '必ず|絶対|ないで|いけない|いけません|ならない|なりません|禁止|常に|いつも|だけ|のみ|代わり|ではなく|じゃなく|べき|するな|決して|避け|ください(?=.{0,3}$)|厳守|変えず',
  korean:
    '반드시|꼭|절대|하지\\s?마|지\\s?마|지\\s?말|말아|말고|말\\s?것|항상|언제나|오직|만\\s?(?:사용|써|쓰|이용)|대신|금지|해야|안\\s?[된돼됩]|피해|유지',
}

const LONGEST_SENTENCE = 2_000

const RULE = new RegExp(`(?<![\\p{L}\\p{N}_])(?:${joined(WORDS)})(?![\\p{L}\\p{N}_])|${joined(PIECES)}`, 'iu')
const SENTENCE_END = /(?<=[.!?])["'”’)\]]*\s+|(?<=[。！？])/u

/**
 * The sentences of a user's text that set or change a rule (must, never, only, instead … and their like in eleven
 * languages), in order, each exactly as written. A line is never joined with the next.
 */
export function constraintSentences(text: string): readonly string[] {
  const found: string[] = []
  for (const line of text.split('\n')) {
    for (const sentence of line.split(SENTENCE_END)) {
      const trimmed = sentence.trim()
      if (trimmed !== '' && isConstraint(trimmed)) found.push(trimmed)
    }
  }
  return found
}

/** Does this sentence set or change a rule? Decided on its first 2,000 characters. */
export function isConstraint(sentence: string): boolean {
  return RULE.test(sentence.slice(0, LONGEST_SENTENCE).normalize('NFC'))
}

function joined(table: Readonly<Record<string, string>>): string {
  return Object.values(table)
    .map((words) => words.replace(/\n\s*/g, ''))
    .join('|')
}
