import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { chancesToBeBest } from './best.ts'
import { createDraw, groupSizes } from './draw.ts'
import { certaintyOf, describeChoice, type Figures, judge, NO_FIGURES } from './verdict.ts'

const clicked = (count: number, counted: number): Figures => ({
  ...NO_FIGURES,
  recipients: counted,
  counted,
  clicked: count
})
const near = (actual: number | undefined, expected: number, by = 0.002) =>
  assert.ok(Math.abs((actual ?? Number.NaN) - expected) < by, `${actual} is not ${expected}`)

test('the chance to be the best is that of the true rates, for few people and for a million', () => {
  near(
    chancesToBeBest([
      { count: 5, of: 10 },
      { count: 5, of: 10 }
    ])[0],
    0.5
  )
  // Beta(2,1) against Beta(1,1): the mean of x under 2x is 2/3.
  near(
    chancesToBeBest([
      { count: 1, of: 1 },
      { count: 0, of: 0 }
    ])[0],
    2 / 3
  )
  // Beta(2,1) against Beta(1,2): 5/6.
  near(
    chancesToBeBest([
      { count: 0, of: 1 },
      { count: 1, of: 1 }
    ])[1],
    5 / 6
  )
  // Normal: a difference of 2 standard errors.
  near(
    chancesToBeBest([
      { count: 50_000, of: 500_000 },
      { count: 50_600, of: 500_000 }
    ])[1],
    0.977
  )
  const four = chancesToBeBest([12, 12, 12, 12].map((count) => ({ count, of: 100 })))
  for (const chance of four) near(chance, 0.25)
  for (const apart of [0, 500_000]) {
    const chances = chancesToBeBest([
      { count: apart, of: 500_000 },
      { count: 250_000, of: 500_000 }
    ])
    near(chances[0], apart === 0 ? 0 : 1)
    near(chances[0] === undefined ? undefined : chances[0] + (chances[1] ?? 0), 1, 1e-9)
  }
})

test('the highest rate wins, the first of equals, and small figures are told as such', () => {
  const figures = [clicked(18, 200), clicked(34, 200)]
  const verdict = judge(figures, 'clicks')
  assert.deepEqual([verdict.best, verdict.isTie, verdict.rates], [1, false, [0.09, 0.17]])
  const certainty = certaintyOf(figures, 'clicks', verdict.chances?.[1])
  assert.equal(certainty, 'sure')
  const told = describeChoice(
    { winner: 1, isByHand: false },
    { labels: ['A', 'B'], figures, decideBy: 'clicks', certainty }
  )
  assert.equal(
    told,
    'B was chosen by clicks. People who clicked: A 18 of 200, B 34 of 200. The chance that it really is the best is 99 %. The difference is hardly chance.'
  )
  const tie = judge([clicked(0, 3), clicked(0, 3), clicked(0, 0)], 'clicks')
  assert.deepEqual([tie.best, tie.isTie, tie.rates], [0, true, [0, 0, null]])
  const few = [clicked(2, 3), clicked(0, 3)]
  assert.equal(certaintyOf(few, 'clicks', judge(few, 'clicks').chances?.[0]), 'too_few')
  assert.equal(certaintyOf([clicked(22, 200), clicked(20, 200)], 'clicks', 0.6), 'open')
  assert.equal(certaintyOf(figures, 'hand', undefined), null)
  assert.deepEqual(judge(figures, 'hand').chances, null)
})

test('groups have their exact sizes, and everybody is as likely to be in each', () => {
  assert.deepEqual(groupSizes(1_000, { share: 20, variants: 3 }), [800, 67, 67, 66])
  assert.deepEqual(groupSizes(3, { share: 1, variants: 2 }), [1, 1, 1])
  assert.deepEqual(groupSizes(4, { share: 100, variants: 2 }), [0, 2, 2])
  assert.equal(groupSizes(1, { share: 50, variants: 2 }), undefined)
  const perGroup = [0, 0, 0]
  for (let round = 0; round < 3_000; round++) {
    const draw = createDraw([2, 1, 1])
    const groups = [draw(), draw(), draw(), draw()]
    assert.deepEqual(groups.toSorted(), [0, 0, 1, 2])
    perGroup[groups[3] ?? 0] = (perGroup[groups[3] ?? 0] ?? 0) + 1
    assert.equal(draw(), 0)
  }
  // The last person: half of the rounds in the rest, a quarter in each variant. Nine standard deviations to either side.
  near(perGroup[0], 1_500, 250)
  near(perGroup[1], 750, 220)
})
