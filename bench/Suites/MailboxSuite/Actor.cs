using System.Diagnostics;
using System.Security.Cryptography;
using Raceway.Measuring;

namespace Raceway.Suites.MailboxSuite;

/// <summary>The body that every contestant runs: one actor, called with its messages one after another.</summary>
public sealed class Actor
{
    private const int HashedBytes = 100;

    // One message in so many has its time taken, where times are asked for.
    internal const int TimedEvery = 64;

    private readonly ActorWork _work;
    private readonly byte[] _input;
    private readonly byte[] _hash = new byte[SHA512.HashSizeInBytes];
    private readonly CountdownEvent _handled;
    private int _left;
    private long _sum;

    internal Actor(MailboxShape shape, CountdownEvent handled)
    {
        _work = shape.Carried ? ActorWork.Sum : shape.Work;
        Carries = shape.Carried ? shape.Bytes : 0;
        _input = new byte[shape.Work == ActorWork.Sha512 ? HashedBytes : shape.Bytes];
        _handled = handled;
    }

    /// <summary>Bytes that come with each message, each of them its lowest byte.</summary>
    public int Carries { get; }

    /// <summary>What it has added up.</summary>
    public long Sum => _sum;

    /// <summary>When timed messages were posted, by their number; null where nothing is timed.</summary>
    internal long[]? PostedAt { get; set; }

    internal LatencyHistogram Waited { get; } = new();

    /// <summary>It will be given so many messages.</summary>
    internal void Expect(int messages) => _left = messages;

    /// <summary>Handles a message.</summary>
    public void Take(int message)
    {
        if (PostedAt is { } times && message % TimedEvery == 0)
            Waited.Record((long)Stopwatch.GetElapsedTime(times[message / TimedEvery]).TotalNanoseconds);
        switch (_work)
        {
            case ActorWork.Sha512:
                _input[0] = (byte)message;
                SHA512.HashData(_input, _hash);
                break;
            case ActorWork.Bytes:
                AddUp(_input);
                break;
        }

        _sum += message;
        if (--_left == 0) _handled.Signal();
    }

    /// <summary>Handles a message and the bytes that it carries.</summary>
    public void Take(int message, ReadOnlySpan<byte> carried)
    {
        AddUp(carried);
        Take(message);
    }

    /// <summary>What the sum must be after bursts of so many messages, numbered from 0.</summary>
    internal static long Expected(MailboxShape shape, IEnumerable<int> bursts) =>
        bursts.Sum(n => ((long)n * (n - 1) / 2) + (shape.Carried ? shape.Bytes * LowestBytes(n) : 0));

    private static long LowestBytes(int count) => Enumerable.Range(0, count).Sum(static message => (long)(byte)message);

    private void AddUp(ReadOnlySpan<byte> bytes)
    {
        long sum = 0;
        foreach (byte one in bytes) sum += one;
        _sum += sum;
    }
}
