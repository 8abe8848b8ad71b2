using System.Collections.Concurrent;
using Raceway.Interop.Distributed;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>Takes frames, tries the suspect ones, and acknowledges nothing by itself.</summary>
internal sealed class Trying : IFrameHandler
{
    private int _frames;
    private long _session;

    public IFrameReceiver Receiver { get; set; } = null!;

    /// <summary>How many it was handed out, those that came again included.</summary>
    public int Frames => Volatile.Read(ref _frames);

    /// <summary>What has become of each trial.</summary>
    public ConcurrentQueue<FrameTrial> Trials { get; } = new();

    public long Session => Volatile.Read(ref _session);

    /// <summary>The frame that was handed out last.</summary>
    public ReceivedFrame Last { get; private set; }

    public void OnSession(long session) => Volatile.Write(ref _session, session);

    public async ValueTask OnFrameAsync(ReceivedFrame frame)
    {
        if (frame.IsSuspect)
        {
            FrameTrial trial = await Receiver.BeginTrialAsync(frame);
            // It comes again.
            if (trial == FrameTrial.Lost) return;
            Trials.Enqueue(trial);
        }

        Last = frame;
        Interlocked.Increment(ref _frames);
    }

    public ValueTask OnUnsubscribedAsync(int partition) => ValueTask.CompletedTask;
}
