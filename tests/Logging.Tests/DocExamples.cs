using Microsoft.Extensions.Hosting;
using Serilog;

namespace Raceway.Logging.Tests;

/// <summary>The code of the pages about the log file, run.</summary>
public sealed class DocExamples : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Host_OfThePage_WritesItsFile()
    {
        string path = _folder.File();
        // The console is left out of it.
        string[] args = ["--Logging:Console:LogLevel:Default=None"];
        HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
        builder.Logging.AddRacewayFile(path, options =>
        {
            options.MaxFileBytes = 100_000_000;
            options.RetainedFiles = 10;
            options.Overflow = LogOverflow.DropBelow;
        });
        using (IHost host = builder.Build()) await host.StartAsync();

        Assert.NotEmpty(_folder.Lines());
    }

    [Fact]
    public void Serilog_OfThePage_WritesItsFile()
    {
        string path = _folder.File();
        using (var logger = new LoggerConfiguration()
            .WriteTo.RacewayFile(path, new LogFileOptions { RollDaily = true, RetainedFiles = 31 })
            .CreateLogger())
        {
            logger.Information("Order {Order} is shipped", 42);
        }

        Assert.EndsWith("[INF] Order 42 is shipped", Assert.Single(_folder.Lines(Assert.Single(_folder.Names()))), StringComparison.Ordinal);
    }
}
