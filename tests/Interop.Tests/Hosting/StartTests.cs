using Raceway.Rings;

namespace Raceway.Interop.Tests.Hosting;

/// <summary>Start hooks that keep a host from starting.</summary>
public sealed class StartTests
{
    [Fact]
    public async Task Start_HookThrows_HostDoesNotStartAndNothingElseIsLogged()
    {
        await using TestHost host = TestHost.Create(static (pipeline, _) => pipeline.Stage("refuses", new RefusesToStart()));

        FormatException fault = await Assert.ThrowsAsync<FormatException>(host.StartAsync);

        Assert.Equal("no start", fault.Message);
        Assert.Empty(host.Logs.Ids);
    }

    [Fact]
    public async Task Start_HookThatDoesNotReturn_IsGivenUpWhenTheHostIsToldTo()
    {
        var handler = new HangsAtItsStart();
        await using TestHost host = TestHost.Create((pipeline, _) => pipeline.Stage("hangs", handler));
        using var cancellation = new CancellationTokenSource();
        Task start = host.Host.StartAsync(cancellation.Token);
        handler.Entered.Wait();

        await cancellation.CancelAsync();

        try
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => start.OrHang());
            Assert.Empty(host.Logs.Ids);
        }
        finally
        {
            handler.LetGo.Set();
        }
    }

    private sealed class HangsAtItsStart : IBatchHandler<long>, IStageLifetime
    {
        public ManualResetEventSlim Entered { get; } = new();

        public ManualResetEventSlim LetGo { get; } = new();

        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnStart()
        {
            Entered.Set();
            LetGo.Wait();
        }

        public void OnStop()
        {
        }
    }

    private sealed class RefusesToStart : IBatchHandler<long>, IStageLifetime
    {
        public void OnBatch(Batch<long> batch)
        {
        }

        public void OnStart() => throw new FormatException("no start");

        public void OnStop()
        {
        }
    }
}
