import Type from 'typebox'

export const LoginAnswer = Type.Object(
  {
    token: Type.String({ description: 'The token.' }),
    expiresIn: Type.Number({ description: 'How long it is valid, in seconds.' })
  },
  { $id: 'LoginResponseDto' }
)

export const loginExample = { token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', expiresIn: 3600 }
