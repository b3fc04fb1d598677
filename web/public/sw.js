// Shows notices while the page is closed. It keeps no page and no answer of the server.
addEventListener('push', (event) => {
  const { title, text, path, tag } = event.data.json()
  event.waitUntil(registration.showNotification(title, { body: text, tag, icon: '/icon-192.png', data: { path } }))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(clients.openWindow(event.notification.data.path))
})
