import { expect, it } from 'vitest';
import { htmlText } from './html-text.ts';

const words = (html: string): readonly string[] => htmlText(html).split(/\s+/).filter(Boolean);

it.each([
  ['<!-- no --><p>yes</p><!-- no', ['yes', '<!--', 'no']],
  ['<SCRIPT src=x>no</script >a<style>no</STYLE>b', ['a', 'b']],
  ['<h2 class="x">Owls</h2>hear<br/>at<br>night', ['##', 'Owls', 'hear', 'at', 'night']],
  ['a &amp; b &#65;&#x42; &unknown; &#0;', ['a', '&', 'b', 'AB', '&unknown;', '&#0;']],
  ['<div\ntitle="x">a</div>b<i>c</i>', ['a', 'b', 'c']],
  ['1 < 2', ['1', '<', '2']],
])('of %j the words are found', (html, expected) => {
  expect(words(html)).toEqual(expected);
});

it.each(['<', '<!--', '<script', '<style ', '<h1 ', '</script', '<!--<script<style<h1'])(
  'of a page of %s only, which nothing closes, all is text',
  (piece) => {
    const html = piece.repeat(200_000);
    expect(htmlText(html) === html).toBe(true);
  },
);
