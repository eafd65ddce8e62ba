import { strict as assert } from 'node:assert'
import { test } from 'node:test'
import { checkAgentMessage } from '../../../simulator/rbm/agent-message.ts'
import type { RcsContent } from '../../rcs/rcs-content.ts'
import { toAgentMessage } from './to-agent-message.ts'

/* What is expected is written as the platform's guide writes it ("Send messages"), with our values in it. */

const SHAPES: Record<string, { content: RcsContent; contentMessage: object }> = {
  'a text': {
    content: { type: 'text', data: { text: 'Hello, world!' } },
    contentMessage: { text: 'Hello, world!' }
  },
  'a text with suggested replies': {
    content: {
      type: 'text',
      data: {
        text: 'Hello, world!',
        choices: [
          { type: 'text', text: 'Suggestion #1' },
          { type: 'text', text: 'Suggestion #2' }
        ]
      }
    },
    contentMessage: {
      text: 'Hello, world!',
      suggestions: [
        { reply: { text: 'Suggestion #1', postbackData: 'Suggestion #1' } },
        { reply: { text: 'Suggestion #2', postbackData: 'Suggestion #2' } }
      ]
    }
  },
  'a text with every suggested action': {
    content: {
      type: 'text',
      data: {
        text: 'Hello, world!',
        choices: [
          { type: 'call', title: 'Call', phoneNumber: '+15556667777' },
          { type: 'location', title: 'View map', label: 'Googleplex', latitude: 37.4220188, longitude: -122.0844786 },
          { type: 'url', title: 'Open Google', url: 'https://www.google.com' }
        ]
      }
    },
    contentMessage: {
      text: 'Hello, world!',
      suggestions: [
        {
          action: {
            text: 'Call',
            postbackData: 'chappe:action:call',
            dialAction: { phoneNumber: '+15556667777' }
          }
        },
        {
          action: {
            text: 'View map',
            postbackData: 'chappe:action:location',
            viewLocationAction: {
              latLong: { latitude: 37.4220188, longitude: -122.0844786 },
              label: 'Googleplex'
            }
          }
        },
        {
          action: {
            text: 'Open Google',
            postbackData: 'chappe:action:url',
            openUrlAction: { url: 'https://www.google.com' }
          }
        }
      ]
    }
  },
  'a card': {
    content: {
      type: 'card',
      data: {
        title: 'Hello, world!',
        description: 'RBM is awesome!',
        media_message_url: 'https://www.google.com/logo.gif',
        choices: [{ type: 'text', text: 'Suggestion #1' }]
      }
    },
    contentMessage: {
      richCard: {
        standaloneCard: {
          cardOrientation: 'VERTICAL',
          cardContent: {
            title: 'Hello, world!',
            description: 'RBM is awesome!',
            media: {
              height: 'MEDIUM',
              contentInfo: { fileUrl: 'https://www.google.com/logo.gif', forceRefresh: false }
            },
            suggestions: [{ reply: { text: 'Suggestion #1', postbackData: 'Suggestion #1' } }]
          }
        }
      }
    }
  },
  'a card of which parts are empty or absent': {
    content: { type: 'card', data: { title: 'Hello, world!', description: '', media_message_url: '', choices: [] } },
    contentMessage: {
      richCard: { standaloneCard: { cardOrientation: 'VERTICAL', cardContent: { title: 'Hello, world!' } } }
    }
  },
  'a carousel': {
    content: {
      type: 'carousel',
      data: {
        cards: [
          { title: 'Card #1', choices: [{ type: 'text', text: 'One' }] },
          { description: 'The second', media_message_url: 'https://www.google.com/2.gif' }
        ]
      }
    },
    contentMessage: {
      richCard: {
        carouselCard: {
          cardWidth: 'MEDIUM',
          cardContents: [
            { title: 'Card #1', suggestions: [{ reply: { text: 'One', postbackData: 'One' } }] },
            {
              description: 'The second',
              media: {
                height: 'MEDIUM',
                contentInfo: { fileUrl: 'https://www.google.com/2.gif', forceRefresh: false }
              }
            }
          ]
        }
      }
    }
  }
}

for (const [name, { content, contentMessage }] of Object.entries(SHAPES)) {
  test(`${name} is written as the platform publishes it`, () => {
    const message = toAgentMessage(content, { ttlSeconds: 300 })
    assert.deepEqual(JSON.parse(JSON.stringify(message)), {
      contentMessage,
      messageTrafficType: 'TRANSACTION',
      ttl: '300s'
    })
    assert.equal(checkAgentMessage(message, 1_000), undefined)
  })
}

test('what advertises is told apart', () => {
  const content = { type: 'text', data: { text: 'Soldes' } } as const
  assert.equal(toAgentMessage(content, { ttlSeconds: 300, isMarketing: true }).messageTrafficType, 'PROMOTION')
})
