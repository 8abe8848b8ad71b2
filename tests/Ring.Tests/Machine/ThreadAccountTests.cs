using System.Runtime.CompilerServices;

namespace Raceway.Rings.Tests;

/// <summary>What the system accounts to a thread: read while it runs, by others, and when it has ended.</summary>
public sealed class ThreadAccountTests
{
    [Theory]
    [InlineData("1500000 2000 7\n", 1_500.0, 2.0)]
    [InlineData("1 0 1", 0.001, 0.0)]
    [InlineData("  12000   34000\n", 12.0, 34.0)]
    public void Parse_FiguresOfTheSystem_AreNanoseconds(string text, double processorUs, double readyUs) => Assert.Equal(
        new ThreadTimes(TimeSpan.FromMicroseconds(processorUs), TimeSpan.FromMicroseconds(readyUs)), ThreadAccount.Parse(text));

    [Theory]
    [InlineData("")]
    [InlineData("\n")]
    [InlineData("0 0 0\n")] // a system that does not count
    [InlineData("1500000")]
    [InlineData("-5 1 1")]
    [InlineData("5 -1 1")]
    [InlineData("many 1 1")]
    [InlineData("99999999999999999999 1 1")]
    public void Parse_AnythingElse_IsNoAccount(string text) => Assert.Null(ThreadAccount.Parse(text));

    [AccountFact]
    public async Task Read_ByAnotherThread_IsOfTheThreadItself()
    {
        using var sleeper = new Accounted();

        // While one works and the other one sleeps, only the account of the one grows.
        await Watchdog.Await(Task.Run(() =>
        {
            ThreadAccount worker = ThreadAccount.OfCurrent()!;
            while (true)
            {
                (ThreadTimes? asleep, ThreadTimes working) = (sleeper.Account.Read(), Known(worker));
                while (Known(worker).Processor - working.Processor < TimeSpan.FromMilliseconds(1)) Thread.SpinWait(1_000);
                if (asleep is not null && sleeper.Account.Read() == asleep) break;
            }
        }));

        // A look at a thread may come to nothing.
        static ThreadTimes Known(ThreadAccount account)
        {
            while (true)
            {
                if (account.Read() is { } times) return times;
                Thread.SpinWait(1_000);
            }
        }
    }

    [AccountFact]
    public void Read_ThreadHasEnded_IsItsLast()
    {
        var thread = new Accounted();
        ThreadTimes before = thread.Account.Read()!.Value;

        thread.Dispose();

        ThreadTimes last = thread.Account.Read()!.Value;
        Assert.True(last.Processor >= before.Processor, $"{last} after {before}");
        // Its number may be another thread's by now: nothing is read by it any more.
        for (int i = 0; i < 20; i++)
        {
            using var other = new Accounted();
            Assert.Equal(last, thread.Account.Read());
        }
    }

    /// <summary>A thread that sleeps until it is disposed, and closes its account.</summary>
    private sealed class Accounted : IDisposable
    {
        private readonly ManualResetEventSlim _go = new();
        private readonly Thread _thread;

        public Accounted()
        {
            using var begun = new ManualResetEventSlim();
            _thread = new Thread(() =>
            {
                Account = ThreadAccount.OfCurrent()!;
                // The clock of the account moves with the scheduler: there is something to read.
                while (Account.Read() is null) Thread.SpinWait(1_000);
                begun.Set();
                _go.Wait();
                Account.Close();
            });
            _thread.Start();
            begun.Wait();
        }

        public ThreadAccount Account { get; private set; } = null!;

        public void Dispose()
        {
            _go.Set();
            _thread.Join();
            _go.Dispose();
        }
    }

    /// <summary>A test that needs a system which accounts for threads; elsewhere it is skipped, and says so.</summary>
    private sealed class AccountFactAttribute : FactAttribute
    {
        private const string OfThisThread = "/proc/thread-self/schedstat";

        public AccountFactAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
            : base(file, line)
        {
            if (!File.Exists(OfThisThread) || File.ReadAllText(OfThisThread).StartsWith("0 0 ", StringComparison.Ordinal))
                Skip = "not run: this system keeps no account of threads (/proc/…/schedstat)";
        }
    }
}
