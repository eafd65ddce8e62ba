/* The formats of values in calls. */

export const E164 = /^\+[1-9]\d{6,14}$/
/** RFC 4122. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
