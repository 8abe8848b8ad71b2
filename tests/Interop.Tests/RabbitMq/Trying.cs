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

    /// <summary>One on partition 0 behind <paramref name="proxy"/>, which has been handed out the first of so many frames, and no more.</summary>
    public static async Task<Trying> BeginAsync(RabbitJob job, Proxy proxy, int frames = 1)
    {
        var handler = new Trying();
        IFrameSender sender = await job.Connect().OpenSenderAsync(job.Link);
        handler.Receiver = await job.Connect(job.At(0) with { Nodes = [proxy.Node] }).OpenReceiverAsync(job.Link, 1, handler);
        await handler.Receiver.SubscribeAsync(0);
        for (int i = 0; i < frames; i++) Assert.Equal(SendOutcome.Confirmed, await sender.SendAsync(0, new byte[10]));
        await Broker.Until(() => handler.Frames == 1, "the frame");
        return handler;
    }

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
