import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../interface/button.tsx';
import { Notice } from '../interface/notice.tsx';

/** The Barcode Detection API, which only some browsers have and the DOM's types lack. */
interface BarcodeDetector {
  detect(picture: HTMLVideoElement): Promise<{ rawValue: string }[]>;
}
type BarcodeDetectorClass = new (options: { formats: string[] }) => BarcodeDetector;

const readerClass = (globalThis as { BarcodeDetector?: BarcodeDetectorClass }).BarcodeDetector;
/** Whether this browser can scan: it needs the Barcode Detection API, and https or localhost for the camera. */
export const canScan = readerClass !== undefined && navigator.mediaDevices !== undefined;

const scanIntervalMs = 200;
/** The same code seen again within this time is still the same visitor in front of the camera. */
const sameCodeMs = 4000;

/** Scans QR codes with the camera and reports each once. */
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
        <Notice tone="warn" title="No access to the camera">
          <p>
            This page has no access to the camera. Allow it in your browser, or type the code printed on the ticket.
          </p>
        </Notice>
      )}
      <Button
        look="quiet"
        onClick={() => {
          setRefused(false);
          setOn(!on);
        }}
      >
        {on ? 'Stop scanning' : 'Scan with camera'}
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
        timer = setTimeout(() => void look(), scanIntervalMs);
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
