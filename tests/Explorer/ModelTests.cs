using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Xunit;

namespace Raceway.Explorer;

/// <summary>The model itself: it finds what must be found, in the modes in which it can happen, and nothing else.</summary>
[Collection(Explorer.Collection)]
public sealed class ModelTests
{
    private static readonly MemoryMode[] s_all = Enum.GetValues<MemoryMode>();
    private static readonly Effort s_effort = new(20_000, 2_000);

    private static bool Fails(MemoryMode mode, Action<World> build) => Failure(mode, build) is not null;

    private static string? Failure(MemoryMode mode, Action<World> build) =>
        Explorer.Explore(new Body("model/test", build), mode, s_effort, counts: false).Failure;

    private sealed unsafe class Cells
    {
        private readonly long[] _memory = GC.AllocateArray<long>(32, pinned: true);

        public long* X => (long*)Unsafe.AsPointer(ref _memory[8]);

        public long* Y => (long*)Unsafe.AsPointer(ref _memory[24]);

        public long A { get; set; } = -1;

        public long B { get; set; } = -1;
    }

    [Theory]
    [InlineData(nameof(MemoryMode.Sequential), false)]
    [InlineData(nameof(MemoryMode.StoreBuffers), true)]
    [InlineData(nameof(MemoryMode.ReleaseAcquire), true)]
    public unsafe void StoreThenLoad_BothMiss_WhereMemoryReorders(string mode, bool happens) =>
        Assert.Equal(happens, Fails(Enum.Parse<MemoryMode>(mode), world =>
        {
            var cells = new Cells();
            world.Thread("a", () =>
            {
                Volatile.Write(ref *cells.X, 1);
                cells.A = Volatile.Read(ref *cells.Y);
            });
            world.Thread("b", () =>
            {
                Volatile.Write(ref *cells.Y, 1);
                cells.B = Volatile.Read(ref *cells.X);
            });
            world.AtEnd(() => World.Check(cells.A + cells.B > 0, "both missed"));
        }));

    [Theory]
    [InlineData("fences", false)]
    [InlineData("process-wide", false)]
    [InlineData("one fence", true)]
    public unsafe void StoreThenLoad_Fenced_OneSees(string how, bool happens)
    {
        foreach (MemoryMode mode in new[] { MemoryMode.StoreBuffers, MemoryMode.ReleaseAcquire })
        {
            Assert.Equal(happens, Fails(mode, world =>
            {
                var cells = new Cells();
                world.Thread("a", () =>
                {
                    Volatile.Write(ref *cells.X, 1);
                    if (how == "process-wide") Interlocked.MemoryBarrierProcessWide();
                    else Interlocked.MemoryBarrier();
                    cells.A = Volatile.Read(ref *cells.Y);
                });
                world.Thread("b", () =>
                {
                    Volatile.Write(ref *cells.Y, 1);
                    if (how == "fences") Interlocked.MemoryBarrier();
                    cells.B = Volatile.Read(ref *cells.X);
                });
                world.AtEnd(() => World.Check(cells.A + cells.B > 0, "both missed"));
            }));
        }
    }

    [Fact]
    public unsafe void Publication_ReleaseAndAcquire_NeverFails() =>
        Assert.All(s_all, mode => Assert.Null(Failure(mode, world =>
        {
            var cells = new Cells();
            world.Thread("writer", () =>
            {
                World.Wrote(ref *cells.Y);
                *cells.Y = 7;
                Volatile.Write(ref *cells.X, 1);
            });
            world.Thread("reader", () =>
            {
                while (Volatile.Read(ref *cells.X) == 0) Thread.SpinWait(1);
                World.Reads(ref *cells.Y);
                cells.A = *cells.Y;
            });
            world.AtEnd(() => World.Equal(7, cells.A, "read"));
        })));

    [Fact]
    public unsafe void PlainStore_OfASharedVariable_IsFoundInEveryMode() =>
        Assert.All(s_all, mode => Assert.Contains("without release", Failure(mode, world =>
        {
            var cells = new Cells();
            world.Thread("writer", () =>
            {
                Volatile.Write(ref *cells.X, 1);
                *cells.X = 2;
                Interlocked.MemoryBarrier();
            });
            world.Thread("reader", () => Volatile.Read(ref *cells.X));
        }), StringComparison.Ordinal));

    [Fact]
    public unsafe void Slot_WithoutOrder_IsARace() =>
        Assert.All(s_all, mode => Assert.Contains("without an order", Failure(mode, world =>
        {
            var cells = new Cells();
            world.Thread("writer", () => World.Wrote(ref *cells.X));
            world.Thread("reader", () => World.Reads(ref *cells.X));
        }), StringComparison.Ordinal));

    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public unsafe void PlainVectorLoads_CountOnlyBehindAReadBarrier(bool barrier, bool races) =>
        Assert.Equal(races, Fails(MemoryMode.ReleaseAcquire, world =>
        {
            int[] stamps = GC.AllocateArray<int>(16, pinned: true);
            int* first = (int*)Unsafe.AsPointer(ref stamps[0]);
            var cells = new Cells();
            world.Thread("writer", () =>
            {
                World.Wrote(ref *cells.Y);
                Volatile.Write(ref *first, 1);
            });
            world.Thread("reader", () =>
            {
                if (Vector128.Load(first)[0] == 0) return;
                if (barrier) Volatile.ReadBarrier();
                World.Reads(ref *cells.Y);
            });
        }));

    [Theory]
    [InlineData("re-checked", false)]
    [InlineData("not re-checked", true)]
    public unsafe void WakeUp_Lost_IsNobodyCanGoOn(string how, bool lost)
    {
        foreach (MemoryMode mode in s_all)
        {
            string? failure = Failure(mode, world =>
            {
                object gate = new();
                var cells = new Cells();
                world.Thread("sleeper", () =>
                {
                    bool sleeps = Volatile.Read(ref *cells.X) == 0;
                    Monitor.Enter(gate);
                    if (how == "re-checked") sleeps = Volatile.Read(ref *cells.X) == 0;
                    if (sleeps) Monitor.Wait(gate);
                    Monitor.Exit(gate);
                });
                world.Thread("waker", () =>
                {
                    Monitor.Enter(gate);
                    Volatile.Write(ref *cells.X, 1);
                    Monitor.Pulse(gate);
                    Monitor.Exit(gate);
                });
            });
            Assert.Equal(lost, failure is not null);
            if (lost) Assert.Contains("Nobody can go on", failure, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void Deadlock_OfTwoLocks_IsFound() =>
        Assert.Contains("Nobody can go on", Failure(MemoryMode.Sequential, world =>
        {
            object one = new();
            object two = new();
            world.Thread("a", () => Both(one, two));
            world.Thread("b", () => Both(two, one));
        }), StringComparison.Ordinal);

    private static void Both(object first, object second)
    {
        Monitor.Enter(first);
        Monitor.Enter(second);
        Monitor.Exit(second);
        Monitor.Exit(first);
    }

    [Fact]
    public unsafe void Count_ReadAndStored_LosesOne_ExchangedNever()
    {
        foreach (bool atomic in new[] { false, true })
        {
            Assert.Equal(!atomic, Fails(MemoryMode.Sequential, world =>
            {
                var cells = new Cells();
                for (int i = 0; i < 3; i++)
                {
                    world.Thread($"t{i}", () =>
                    {
                        if (atomic) Interlocked.Increment(ref *cells.X);
                        else Volatile.Write(ref *cells.X, Volatile.Read(ref *cells.X) + 1);
                    });
                }

                world.AtEnd(() => World.Equal(3, *cells.X, "count"));
            }));
        }
    }

    [Fact]
    public void Sleep_Interrupted_Throws_AndTimesOutInVirtualTime() =>
        Assert.All(s_all, mode => Assert.Null(Failure(mode, world =>
        {
            object gate = new();
            Thread? sleeper = null;
            int ends = 0;
            world.Thread("sleeper", () =>
            {
                sleeper = Thread.CurrentThread;
                Monitor.Enter(gate);
                try
                {
                    World.Check(!Monitor.Wait(gate, 60_000), "nobody pulses");
                    ends++;
                }
                catch (ThreadInterruptedException)
                {
                    ends++;
                }

                Monitor.Exit(gate);
            });
            world.Thread("interrupter", () =>
            {
                World.Until(() => sleeper is not null, "the sleeper");
                sleeper!.Interrupt();
            });
            world.AtEnd(() => World.Equal(1, ends, "ends"));
        })));

    [Fact]
    public void AsyncMethods_ResumeOnThreadsOfThePool_AndCarryFaults() =>
        Assert.All(s_all, mode => Assert.Null(Failure(mode, world =>
        {
            var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            int resumed = 0;
            int caught = 0;
            async Task Awaits()
            {
                int before = Environment.CurrentManagedThreadId;
                await source.Task.ConfigureAwait(false);
                if (Environment.CurrentManagedThreadId != before) resumed++;
                throw new BodyFailed("on purpose");
            }

            world.Thread("waits", () =>
            {
                try
                {
                    Awaits().Wait();
                }
                catch (BodyFailed)
                {
                    caught++;
                }
            });
            world.Thread("completes", () => source.SetResult());
            world.AtEnd(() => World.Equal(1, caught, "caught"));
            world.AtEnd(() => World.Check(resumed <= 1, "resumed twice"));
        })));

    [Fact]
    public unsafe void Failure_Replayed_IsTheSame()
    {
        void Build(World world)
        {
            var cells = new Cells();
            world.Thread("a", () => Volatile.Write(ref *cells.X, Volatile.Read(ref *cells.X) + 1));
            world.Thread("b", () => Volatile.Write(ref *cells.X, Volatile.Read(ref *cells.X) + 1));
            world.AtEnd(() => World.Equal(2, *cells.X, "count"));
        }

        string failure = Failure(MemoryMode.Sequential, Build)!;
        string[] replay = failure[failure.LastIndexOf("replay: ", StringComparison.Ordinal)..].Split(' ');
        string again = Explorer.Replay(new Body("model/test", Build), replay[^3], replay[^2], replay[^1]);
        Assert.Contains("count: expected 2, was 1", again, StringComparison.Ordinal);
    }
}
