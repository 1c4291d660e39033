/** The site's own server gives a token for the visitor's conversation: asked for when the chat is opened, and again before it ends. */
document.querySelector('svc-chat').getToken = async () => {
  const answer = await fetch('/chat-token', { method: 'POST' });
  if (!answer.ok) throw new Error(`the site gave no token: ${answer.status}`);
  return (await answer.json()).token;
};
