import { describe, expect, it } from 'vitest'
import { constraintSentences, isConstraint } from './constraints.ts'

describe('constraint sentences', () => {
  it('finds the rules of a text and gives them exactly as written', () => {
    const text =
      'Hello there. The port must stay 8443; never push to main; answer in French\nThanks!  Use pnpm instead.'
    expect(constraintSentences(text)).toEqual([
      'The port must stay 8443; never push to main; answer in French',
      'Use pnpm instead.',
    ])
  })

  it.each([
    ['English', 'Don’t touch the lock file', 'The build takes a minute'],
    ['Vietnamese', 'Đừng sửa tệp cấu hình', 'Chương trình chạy nhanh'],
    ['Vietnamese, decomposed', 'Không được đổi cổng'.normalize('NFD'), 'Xin chào'],
    ['German', 'Verwende ausschließlich TypeScript', 'Das Programm läuft schnell'],
    ['French', 'Il ne faut jamais pousser sur main', 'Le programme est rapide'],
    ['Spanish', 'Nunca borres la base de datos', 'El programa corre bien'],
    ['Chinese', '请勿修改数据库', '程序运行得很快'],
    ['Chinese, traditional', '端口必須是 9443', '程式跑得很快'],
    ['Japanese', 'データベースを変更しないでください', 'プログラムは速い'],
    ['Korean', '절대 main에 푸시하지 마세요', '프로그램이 빠르다'],
    ['Russian', 'Никогда не трогай базу', 'Программа работает быстро'],
  ])('tells a rule from a remark in %s', (_, rule, remark) => {
    expect(isConstraint(rule)).toBe(true)
    expect(isConstraint(remark)).toBe(false)
  })

  it('splits after full-width stops, and never joins lines', () => {
    expect(constraintSentences('程序很快。不要改端口。谢谢。')).toEqual(['不要改端口。'])
    expect(constraintSentences('never\nmind the gap')).toEqual(['never'])
  })

  it('takes words as words: a rule word inside another is none', () => {
    expect(isConstraint('The mustard is nonlyric')).toBe(false)
  })
})
