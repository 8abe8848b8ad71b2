
using Xunit.Sdk;

namespace Raceway.Rings.Tests;

/// <summary>One combination of how a ring waits, who publishes, and who steps its stages.</summary>
public sealed class Setup : IXunitSerializable
{
    public Setup()
    {
    }

    public Setup(string wait, ProducerKind kind, bool stepped)
    {
        Wait = wait;
        Kind = kind;
        Stepped = stepped;
    }

    public string Wait { get; private set; } = "";

    public ProducerKind Kind { get; private set; }

    /// <summary>Stages are stepped by a loop of the test instead of their own driver.</summary>
    public bool Stepped { get; private set; }

    /// <summary>Every wait × producer kind × driver. The pool is the driver where the wait is async.</summary>
    public static TheoryData<Setup> All()
    {
        var data = new TheoryData<Setup>();
        foreach (Wait wait in Rings.Wait.All)
        {
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
                foreach (bool stepped in new[] { false, true }) data.Add(new Setup(wait.Name, kind, stepped));
        }

        return data;
    }

    public RingBuffer<long> Ring(int capacity) =>
        Make.Ring(capacity, Kind, Rings.Wait.All.Single(wait => wait.Name == Wait), Kind == ProducerKind.Sharded ? 1 : 4);

    public StageOptions Stage(params Stage[] after) =>
        new() { After = after, Drive = Stepped ? Drive.Caller : Drive.OwnThread };

    /// <summary>Starts the ring, and the loop where the test steps; the task ends with the stages.</summary>
    public Task Start(RingBuffer<long> ring)
    {
        ring.Start();
        if (!Stepped) return Task.CompletedTask;
        Stage[] stages = [.. ring.Stages];
        return Watchdog.Run(() =>
        {
            bool[] ended = new bool[stages.Length];
            while (!Array.TrueForAll(ended, end => end))
            {
                bool idle = true;
                for (int i = 0; i < stages.Length; i++)
                {
                    StepKind kind = stages[i].Step().Kind;
                    ended[i] |= kind == StepKind.Stopped;
                    idle &= kind != StepKind.Progressed;
                }

                if (idle) Thread.Yield();
            }
        });
    }

    public void Deserialize(IXunitSerializationInfo info)
    {
        Wait = info.GetValue<string>(nameof(Wait))!;
        Kind = info.GetValue<ProducerKind>(nameof(Kind));
        Stepped = info.GetValue<bool>(nameof(Stepped));
    }

    public void Serialize(IXunitSerializationInfo info)
    {
        info.AddValue(nameof(Wait), Wait);
        info.AddValue(nameof(Kind), Kind);
        info.AddValue(nameof(Stepped), Stepped);
    }

    public override string ToString() => $"{Wait}, {Kind}, {(Stepped ? "stepped" : "driven")}";
}
