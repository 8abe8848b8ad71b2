namespace Raceway.Interop.Distributed;

/// <content>Frames that were overtaken: they wait for the one before them.</content>
public sealed partial class LinkSource<T>
{
    private sealed partial class Receiving
    {
        // In the order of their delivery.
        private readonly List<HeldFrame> _held = [];

        private void Hold(HeldFrame frame)
        {
            List<HeldFrame> ofStream = frame.Stream.Held;
            int at = ofStream.FindIndex(held => held.Header.First > frame.Header.First);
            ofStream.Insert(at < 0 ? ofStream.Count : at, frame);
            _held.Add(frame);
        }

        // After a frame of a stream and partition: what has waited for it, and what has waited for long enough.
        private async ValueTask CatchUpAsync(StreamState stream, int partition)
        {
            await ReleaseAsync(stream).ConfigureAwait(false);
            while (!_ended && OverLimit(partition) is { } frame) await GiveUpAsync(frame.Stream).ConfigureAwait(false);
        }

        private HeldFrame? OverLimit(int partition)
        {
            if (_held.Count == 0) return null;
            // With so many behind it the broker delivers no more, and what is missing could not come.
            lock (source._gate)
                if (source._pending.CountFrom(_held[0].Id, partition) >= _options.Prefetch) return _held[0];
            int held = _held.Count(one => one.Header.Partition == partition);
            return held > _options.HeldFrames ? _held.Find(one => one.Header.Partition == partition) : null;
        }

        private HeldFrame? HeldBefore(int partition)
        {
            lock (source._gate) return _held.Find(one => source._pending.CountFrom(one.Id, partition) > 0);
        }

        private ValueTask GiveUpAsync(StreamState stream)
        {
            FrameHeader first = stream.Held[0].Header;
            Report(first, stream.Next);
            stream.JumpTo(first.First);
            return ReleaseAsync(stream);
        }

        private async ValueTask ReleaseAsync(StreamState stream)
        {
            while (!_ended && stream.Held.Count > 0 && stream.Held[0].Header.First <= stream.Next)
            {
                HeldFrame frame = stream.Held[0];
                stream.Held.RemoveAt(0);
                _held.Remove(frame);
                Start(stream, frame.Header, frame.Id, frame.Tag, frame.Term, frame.Body);
                while (!TryPublish(frame.Body))
                    if (!await source._producer!.WaitForRoomAsync(_wished).ConfigureAwait(false)) End();
            }
        }
    }
}
