using System.Runtime.CompilerServices;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Distributed;

/// <content>From a delivery to items in the ring.</content>
public sealed partial class LinkSource<T>
{
    /// <summary>What the transport calls: one frame at a time.</summary>
    private sealed partial class Receiving(LinkSource<T> source) : IFrameHandler
    {
        private readonly LinkStreams _streams = new();
        private readonly LinkOptions _options = source._options;

        // The frame that is being published, and how far it is.
        private StreamState? _stream;
        private FrameHeader _header;
        private ulong _id;
        private ulong _tag;
        private long _term;
        private int _left;
        private long _number;
        private int _at;
        private int _wished;

        // The pipeline takes no more: what comes is for other workers, and says nothing of what is missing.
        private bool _ended;

        // A frame of this session was left out, so all behind it are: taken, they would make it known where it comes again.
        private long? _brokenOff;

        public bool NeedsTerms => _options.Fencing;

        public void OnSession(long session)
        {
            lock (source._gate)
            {
                source._session = session;
                source._pending.Clear();
                source.EndReleases(sessionEnded: true);
                source._statistics = source._statistics with { Sessions = source._statistics.Sessions + 1 };
            }

            // What is in the ring is not this worker's any more, and is not handled here.
            if (_options.Fencing) _streams.Clear();
            else _streams.BeginSession();
            _held.Clear();
        }

        public ValueTask OnFrameAsync(ReceivedFrame frame)
        {
            // Neither taken nor acknowledged: it is for the worker that has the partition next.
            if (Volatile.Read(ref source._stopped) || source.IsDisowned(frame.Session)) return ValueTask.CompletedTask;
            // A transport may bring what it had before it knew that its connection was lost.
            if (frame.Session == _brokenOff) return ValueTask.CompletedTask;
            ulong id = Begin(frame);
            if (_ended) return ValueTask.CompletedTask;
            return frame.IsSuspect ? TryAsync(id, frame) : TakeAsync(id, frame);
        }

        // Whatever ends the process now, only this frame can be to blame: nothing else is in it.
        private async ValueTask TryAsync(ulong id, ReceivedFrame frame)
        {
            if (!await EmptyAsync().ConfigureAwait(false)) return;
            FrameTrial trial = await source._receiver!.BeginTrialAsync(frame).ConfigureAwait(false);
            if (trial == FrameTrial.Lost)
            {
                _brokenOff = frame.Session;
                return;
            }

            if (trial == FrameTrial.Exhausted)
            {
                _ = FrameHeader.Open(frame.Body.Span, _options.MaxFrameLength, out FrameHeader header, _options.Keys);
                Park(id, frame.Tag, FrameError.Workers, null, frame.Partition, header);
                return;
            }

            await TakeAsync(id, frame).ConfigureAwait(false);
            // Not handled where the pipeline takes no more, or its session was given up.
            if (await EmptyAsync().ConfigureAwait(false) && !_ended && !source.IsDisowned(frame.Session))
                await source._receiver.EndTrialAsync(frame).ConfigureAwait(false);
        }

        private async ValueTask<bool> EmptyAsync()
        {
            bool isEmpty = await source.EmptyAsync().ConfigureAwait(false);
            if (!isEmpty) End();
            return isEmpty;
        }

        private ValueTask TakeAsync(ulong id, ReceivedFrame frame)
        {
            FrameError error = FrameHeader.Open(frame.Body.Span, _options.MaxFrameLength, out FrameHeader header, _options.Keys);
            if (error == FrameError.None && (header.Link != source._tag || header.Partition != frame.Partition))
                error = FrameError.Address;
            // Of a codec that is not ours.
            if (error == FrameError.None && header.ItemLength != source._codec.FixedLength) error = FrameError.Items;
            if (error != FrameError.None)
            {
                Park(id, frame.Tag, error, null, frame.Partition, header);
                return ValueTask.CompletedTask;
            }

            // Its stream has gone on without it: it is a stream of its own, so that it is known where it comes twice.
            if (frame.IsPutBack) header = header with { Producer = KeyHash.Of($"{header.Producer}.{header.First}"), First = 0 };
            StreamState stream = _streams.Get(new LinkStream(header.Producer, header.Epoch, header.Partition));
            try
            {
                Anchor(stream, header);
            }
            catch (Exception fault)
            {
                Park(id, frame.Tag, FrameError.Position, fault, frame.Partition, header);
                return ValueTask.CompletedTask;
            }

            if (header.First > stream.Next)
            {
                if (_options.HeldFrames > 0)
                {
                    Hold(new HeldFrame(stream, header, id, frame.Tag, frame.Term, frame.Body.ToArray()));
                    return CatchUpAsync(stream, header.Partition);
                }

                Report(header, stream.Next);
                stream.JumpTo(header.First);
            }

            Start(stream, header, id, frame.Tag, frame.Term, frame.Body.Span);
            if (!TryPublish(frame.Body.Span)) return PublishAsync(frame.Body);
            return _held.Count == 0 ? ValueTask.CompletedTask : CatchUpAsync(stream, header.Partition);
        }

        public async ValueTask OnUnsubscribedAsync(int partition)
        {
            // What its own wait for does not come any more; those of others are before what is to be acknowledged.
            while (!_ended && HeldBefore(partition) is { } frame) await GiveUpAsync(frame.Stream).ConfigureAwait(false);
        }

        private ulong Begin(in ReceivedFrame frame)
        {
            lock (source._gate)
            {
                ulong id = source._pending.Add(frame.Tag, frame.Partition);
                LinkSourceStatistics now = source._statistics;
                source._statistics = now with
                {
                    Frames = now.Frames + 1,
                    Redelivered = now.Redelivered + (frame.Redelivered ? 1 : 0),
                    MostUnacknowledged = Math.Max(now.MostUnacknowledged, source._pending.Count),
                };
                return id;
            }
        }

        // The first frame of a stream in a session: others may have handled what was before it.
        private void Anchor(StreamState stream, in FrameHeader header)
        {
            if (stream.IsAnchored) return;
            if (_options.PositionOf?.Invoke(stream.Stream) is { } position) stream.StartAt(position + 1);
            else if (_options.HeldFrames == 0 && header.First > stream.Next) stream.JumpTo(header.First);
            stream.IsAnchored = true;
        }

        private void Start(StreamState stream, in FrameHeader header, ulong id, ulong tag, long term, ReadOnlySpan<byte> body)
        {
            (_stream, _header, _id, _tag, _term, _at) = (stream, header, id, tag, term, FrameHeader.Size);
            // What is below everything seen here was delivered to another worker, and not handled: it is late, and not known.
            int known = header.First < stream.Low ? 0 : (int)Math.Min(stream.Next - header.First, header.Count);
            _number = header.First + known;
            for (int i = 0; i < known; i++) _ = FrameItems.Next(body, header.ItemLength, ref _at);
            _left = header.Count - known;
            if (known == 0) return;
            lock (source._gate)
            {
                source._statistics = source._statistics with { Duplicates = source._statistics.Duplicates + known };
                if (_left > 0) return;
                source._pending.Close(id, stream.RingLast);
                source.Settle();
            }
        }

        /// <summary>Publishes what there is room for; false where there is none for the rest.</summary>
        private bool TryPublish(ReadOnlySpan<byte> body)
        {
            try
            {
                return TryPublishLeft(body);
            }
            finally
            {
                Leave();
            }
        }

        // The next frame, or the rest of this one, may come on another thread.
        private void Leave() => source._producer!.TryReleaseThread();

        private bool TryPublishLeft(ReadOnlySpan<byte> body)
        {
            SingleProducer<T> producer = source._producer!;
            int largest = Math.Max(1, producer.MaxClaim / 2);
            while (_left > 0)
            {
                int count = Math.Min(_left, largest);
                ClaimStatus status = producer.TryClaim(count, out Claim<T> claim);
                _wished = count;
                if (status == ClaimStatus.Full) return false;
                if (status != ClaimStatus.Done) return End();
                using Claim<T> owned = claim;
                int at = _at;
                try
                {
                    foreach (ref T slot in owned) source._codec.Read(FrameItems.Next(body, _header.ItemLength, ref at), ref slot);
                }
                catch (Exception fault)
                {
                    _left = 0;
                    Park(_id, _tag, FrameError.Codec, fault, _header.Partition, _header);
                    return true;
                }

                _at = at;
                _left -= count;
                Place(owned.Sequence, count);
                try
                {
                    owned.Commit();
                }
                catch (Exception end) when (end is RingStoppedException or RingFaultedException or ObjectDisposedException)
                {
                    return End();
                }
            }

            return true;
        }

        // The pipeline has ended: neither this frame nor a later one is taken. The broker gives them to other workers.
        private bool End() => _ended = true;

        // Before the commit: the last stage may pass them at once.
        private void Place(long sequence, int count)
        {
            StreamState stream = _stream!;
            long last = sequence + count - 1;
            lock (source._gate)
            {
                source._placed.Add(sequence, count, stream.Stream, _number, source._session, _term);
                source._lastPlaced = last;
                if (_left == 0) source._pending.Close(_id, last);
                source._statistics = source._statistics with { Items = source._statistics.Items + count };
            }

            _number += count;
            stream.Advance(_number - 1, last);
        }

        [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
        private async ValueTask PublishAsync(ReadOnlyMemory<byte> body)
        {
            StreamState stream = _stream!;
            while (!TryPublish(body.Span))
                if (!await source._producer!.WaitForRoomAsync(_wished).ConfigureAwait(false)) End();
            if (_held.Count > 0) await CatchUpAsync(stream, stream.Stream.Partition).ConfigureAwait(false);
        }

        private void Report(in FrameHeader header, long expected)
        {
            lock (source._gate) source._statistics = source._statistics with { Gaps = source._statistics.Gaps + 1 };
            LinkMeter.Gap(source._link.Name);
            new LinkEvent(
                LinkEventKind.Gap, source._link.Name,
                $"partition {header.Partition}: items {expected} to {header.First - 1} of a producer are missing")
                .TellTo(_options.OnEvent);
        }

        // A header that could not be read has no items.
        private void Park(ulong id, ulong tag, FrameError error, Exception? cause, int partition, in FrameHeader header)
        {
            lock (source._gate)
            {
                source._statistics = source._statistics with { Parked = source._statistics.Parked + 1 };
                source._pending.Park(id);
                source._receiver!.Park(source._session, tag);
                source.Settle();
            }

            LinkMeter.Parked(source._link.Name, error);
            string why = cause is null ? $"{error}" : $"{error}: {cause.GetType().Name}";
            string what = header.Count == 0
                ? "unread"
                : $"items {header.First} to {header.Last} of producer {header.Producer:x16}, epoch {header.Epoch}";
            new LinkEvent(LinkEventKind.Parked, source._link.Name, $"{why}; partition {partition}, {what}").TellTo(_options.OnEvent);
        }
    }
}
