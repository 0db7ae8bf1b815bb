import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../interface/button.tsx';
import { Notice } from '../interface/notice.tsx';

/** What some browsers offer to read codes from pictures; the DOM's types do not know it yet. */
interface CodeReader {
  detect(picture: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
type CodeReaderClass = new (options: { formats: string[] }) => CodeReader;

const readerClass = (globalThis as { BarcodeDetector?: CodeReaderClass }).BarcodeDetector;
/** Whether this browser can scan at all: it needs a reader of codes, and a camera on https or localhost. */
export const canScan = readerClass !== undefined && navigator.mediaDevices !== undefined;

const lookMs = 200;
/** A code stays in the picture for a while, and is one visitor. */
const sameCodeMs = 4000;

/** Reads QR codes with the camera, each once. */
export function Scanner({ onCode }: { onCode: (code: string) => void }) {
  const [on, setOn] = useState(false);
  const [refused, setRefused] = useState(false);
  return (
    <div className="space-y-3">
      {on && (
        <Camera
          onCode={onCode}
          onRefused={() => {
            setRefused(true);
            setOn(false);
          }}
        />
      )}
      {refused && (
        <Notice tone="warn" title="No camera">
          <p>The browser did not give the page a camera. Allow it, or type the code below the QR code.</p>
        </Notice>
      )}
      <Button
        look="quiet"
        onClick={() => {
          setRefused(false);
          setOn(!on);
        }}
      >
        {on ? 'Stop the camera' : 'Scan with the camera'}
      </Button>
    </div>
  );
}

function Camera({ onCode, onRefused }: { onCode: (code: string) => void; onRefused: () => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const found = useEffectEvent(onCode);
  const refuse = useEffectEvent(onRefused);
  useEffect(() => {
    let ended = false;
    let stream: MediaStream | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = { code: '', at: 0 };
    const begin = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' }, audio: false });
      const picture = video.current;
      if (ended || !picture || !readerClass) {
        for (const track of stream.getTracks()) track.stop();
        return;
      }
      picture.srcObject = stream;
      await picture.play();
      const reader = new readerClass({ formats: ['qr_code'] });
      const look = async () => {
        const [code] = await reader.detect(picture).catch(() => []);
        if (ended) return;
        const now = Date.now();
        if (code && (code.rawValue !== last.code || now - last.at > sameCodeMs)) found(code.rawValue);
        if (code) last = { code: code.rawValue, at: now };
        timer = setTimeout(() => void look(), lookMs);
      };
      await look();
    };
    begin().catch(() => {
      if (!ended) refuse();
    });
    return () => {
      ended = true;
      clearTimeout(timer);
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
  }, []);
  return (
    <video ref={video} muted playsInline className="aspect-video w-full rounded-control bg-sunken object-cover">
      <track kind="captions" />
    </video>
  );
}
