using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Raceway.Measuring;
using Raceway.Rings;
using Raceway.Suites.Batching;
using Raceway.Suites.Batching.Network;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>Tests that measure something of the whole process: never beside others.</summary>
[CollectionDefinition(nameof(WorkTests), DisableParallelization = true)]
public sealed class WorkAlone;

/// <summary>The works of the batching suite see what is wrong with what they have done, and allocate nothing per message.</summary>
[Collection(nameof(WorkTests))]
public sealed class WorkTests
{
    private const int Jobs = 1_000;
    private const int Size = 64;

    /// <summary>Kinds of work that are checked here, with a plant each.</summary>
    public static TheoryData<string, Plant> Plants =>
        Cross.Of(
            ["hash", "light", "disk-128", "disk-1k", "compress", "network", "rabbit", "rabbit-window", "parse"], Enum.GetValues<Plant>());

    /// <summary>What is done to the jobs of a round.</summary>
    public enum Plant
    {
        /// <summary>The first is left out.</summary>
        FirstMissing,

        /// <summary>One in the middle of a batch is left out.</summary>
        OneMissing,

        /// <summary>The last is left out.</summary>
        LastMissing,

        /// <summary>A whole batch is left out.</summary>
        BatchMissing,

        /// <summary>One is done a second time, at the end.</summary>
        OneMore,

        /// <summary>One has become another one.</summary>
        Changed,

        /// <summary>Two beside each other have changed places.</summary>
        Swapped,

        /// <summary>Two batches have changed places.</summary>
        BatchesSwapped,
    }

    [Theory]
    [MemberData(nameof(Plants))]
    public void Verify_PlantedJobs_IsFalse_AndTrueInTheNextRound(string name, Plant plant)
    {
        using IBatchWork work = Create(name);

        bool planted = Verify(work, Planted(plant));

        Assert.False(planted);
        Assert.True(Verify(work, Right()));
    }

    /// <summary>What is read back is the file, not what was meant to be written.</summary>
    [Fact]
    public void Verify_DiskWithAByteChanged_IsFalse()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "not run: elsewhere a file that is in use cannot be changed");
        string name = $"{Guid.NewGuid():N}";
        using IBatchWork work = Kind("disk-128").Create(name);
        Assert.True(Verify(work, Right()));

        string file = Assert.Single(Directory.GetFiles(Path.GetTempPath(), $"raceway-{Environment.ProcessId}-*-{name}.records"));
        using (Process dd = Process.Start(new ProcessStartInfo("bash", ["-c", $"printf '\\001' | dd of='{file}' bs=1 seek=70000 conv=notrunc status=none"]))!)
        {
            dd.WaitForExit();
            Assert.Equal(0, dd.ExitCode);
        }

        Assert.False(work.Verify(Jobs));
    }

    [Theory]
    [InlineData(0, false, true)]
    [InlineData(17, true, false)]
    public void LastRound_MessageOnTheWire_MustBeTheCorpus(int at, bool isChanged, bool expected)
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        using Socket sender = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        sender.Connect(listener.LocalEndPoint!);
        using var receiver = new Receiver(listener.Accept());
        byte[] bytes = [];
        int length = FrameWriter.Write(Right(), ref bytes);
        byte[] all = [.. bytes.AsSpan(0, length), .. new byte[FrameWriter.Header]];
        int start = 0;
        for (int i = 0; i < at; i++) start += FrameWriter.Header + Corpus.Lines[i].Length;
        if (isChanged) all[start + FrameWriter.Header + 5] ^= 1;

        // In pieces: messages that are cut off wait for their rest.
        for (int sent = 0; sent < all.Length;) sent += sender.Send(all.AsSpan(sent, Math.Min(37, all.Length - sent)));
        Assert.Equal(1, sender.Receive(new byte[1]));

        Assert.Equal(Jobs, receiver.LastRound.Count);
        Assert.Equal(expected, receiver.LastRound.IsAll(Jobs));
    }

    /// <summary>From the producer through the pipeline to the disk or the other end, over all threads.</summary>
    [Theory]
    [InlineData("hash")]
    [InlineData("light")]
    [InlineData("disk-128")]
    [InlineData("compress")]
    [InlineData("network")]
    [InlineData("parse")]
    public void Messages_OfAWork_AllocateNothing(string name)
    {
        const long Count = 100_000;
        // An object in every fourth batch is too much. What a round costs once, such as its drain, is less.
        const long TooMuch = Count / (4 * Size) * Allocated.SmallestObject;
        using var contestant = new RacewayBatching($"tests/{name}", Kind(name), Arrival.AtOnce, Dispatch.Batch(max: Size));
        long least = long.MaxValue;
        for (int run = 0; run < Allocated.Runs && least >= TooMuch; run++)
        {
            Sample sample = contestant.Run(Count, CancellationToken.None);
            Assert.True(sample.Verified);
            least = Math.Min(least, sample.AllocatedBytes);
        }

        Assert.True(least < TooMuch, $"{least:N0} bytes for {Count:N0} messages in the best of {Allocated.Runs} runs");
    }

    private static Job[] Right() => [.. Enumerable.Range(0, Jobs).Select(static i => new Job(i, 0))];

    private static Job[] Planted(Plant plant)
    {
        List<Job> jobs = [.. Right()];
        switch (plant)
        {
            case Plant.FirstMissing:
                jobs.RemoveAt(0);
                break;
            case Plant.OneMissing:
                jobs.RemoveAt(3 * Size + 5);
                break;
            case Plant.LastMissing:
                jobs.RemoveAt(Jobs - 1);
                break;
            case Plant.BatchMissing:
                jobs.RemoveRange(3 * Size, Size);
                break;
            case Plant.OneMore:
                jobs.Add(jobs[^1]);
                break;
            case Plant.Changed:
                jobs[3 * Size + 5] = new Job(3 * Size + 7, 0);
                break;
            case Plant.Swapped:
                (jobs[100], jobs[101]) = (jobs[101], jobs[100]);
                break;
            case Plant.BatchesSwapped:
                List<Job> batch = jobs.GetRange(3 * Size, Size);
                jobs.RemoveRange(3 * Size, Size);
                jobs.InsertRange(5 * Size, batch);
                break;
        }

        return [.. jobs];
    }

    private static bool Verify(IBatchWork work, Job[] jobs)
    {
        work.Begin();
        for (int from = 0; from < jobs.Length; from += Size) work.Do(jobs.AsSpan(from, Math.Min(Size, jobs.Length - from)));
        work.Complete();
        return work.Verify(Jobs);
    }

    private static IBatchWork Create(string name)
    {
        BatchingCase kind = Kind(name);
        Assert.SkipWhen(kind.Missing() is not null, kind.Missing() ?? "");
        return kind.Create($"tests/{name}");
    }

    private static BatchingCase Kind(string name) => BatchingCases.Kinds.Single(kind => kind.Name == name);
}
