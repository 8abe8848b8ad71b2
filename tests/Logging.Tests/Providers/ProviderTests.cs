using System.Diagnostics.Metrics;
using System.Reflection;
using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Raceway.Logging.Tests.Providers;

/// <summary>The provider in a host, as its users set it up.</summary>
public sealed partial class ProviderTests : IDisposable
{
    private readonly TempFolder _folder = new();
    private readonly VirtualTime _time = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task Host_WithAFile_WritesEntriesAndLosesNoneAtItsEnd()
    {
        HostApplicationBuilder builder = Builder();
        builder.Logging.AddRacewayFile(_folder.File(), options => options.Time = _time);
        using (IHost host = builder.Build())
        {
            await host.StartAsync();
            ILogger logger = host.Services.GetRequiredService<ILoggerFactory>().CreateLogger("Shop.Orders");
            Shipped(logger, 42, "Anna");
            logger.LogError(new InvalidOperationException("broken"), "Order {Order} failed", 43);
            logger.LogDebug("not enabled");
            await host.StopAsync();
        }

        string[] lines = [.. _folder.Lines().Where(static line => !line.Contains("Microsoft.Hosting", StringComparison.Ordinal))];
        Assert.Equal(
            [
                "1970-01-01 00:00:00.000Z INF Shop.Orders[7]: Order 42 of Anna is shipped",
                "1970-01-01 00:00:00.000Z ERR Shop.Orders: Order 43 failed",
                "System.InvalidOperationException: broken",
            ],
            lines);
    }

    [Fact]
    public void Configuration_OfTheHost_IsReadAndFiltersLevels()
    {
        HostApplicationBuilder builder = Builder(new()
        {
            ["Logging:RacewayFile:Path"] = _folder.File("configured.log"),
            ["Logging:RacewayFile:Format"] = "json",
            ["Logging:RacewayFile:Capacity"] = "64",
            ["Logging:RacewayFile:MaxEntryBytes"] = "1024",
            ["Logging:RacewayFile:Overflow"] = "DropBelow",
            ["Logging:RacewayFile:KeepFrom"] = "Error",
            ["Logging:RacewayFile:Critical"] = "Synced",
            ["Logging:RacewayFile:FlushInterval"] = "00:00:00.250",
            ["Logging:RacewayFile:FlushTimeout"] = "00:00:03",
            ["Logging:RacewayFile:IncludeScopes"] = "true",
            ["Logging:RacewayFile:RollDaily"] = "true",
            ["Logging:RacewayFile:LocalTime"] = "true",
            ["Logging:RacewayFile:MaxFileBytes"] = "100000",
            ["Logging:RacewayFile:RetainedFiles"] = "9",
            ["Logging:RacewayFile:MeterName"] = "shop",
            ["Logging:RacewayFile:LogLevel:Shop"] = "Warning",
        });
        RacewayFileLoggerOptions? seen = null;
        builder.Logging.AddRacewayFile(options =>
        {
            seen = options;
            options.Time = _time;
        });
        using (IHost host = builder.Build())
        {
            ILogger logger = host.Services.GetRequiredService<ILoggerFactory>().CreateLogger("Shop.Orders");
            Assert.False(logger.IsEnabled(LogLevel.Information));
            logger.LogInformation("filtered");
            logger.LogWarning("written");
        }

        Assert.NotNull(seen);
        Assert.Equal(
            (LogFormat.Json, 64, 1024, LogOverflow.DropBelow, LogLevel.Error, LogDurability.Synced, TimeSpan.FromMilliseconds(250)),
            (seen.Format, seen.Capacity, seen.MaxEntryBytes, seen.Overflow, seen.KeepFrom, seen.Critical, seen.FlushInterval));
        Assert.Equal(
            (TimeSpan.FromSeconds(3), true, true, true, 100_000L, 9, "shop"),
            (seen.FlushTimeout, seen.IncludeScopes, seen.RollDaily, seen.LocalTime, seen.MaxFileBytes, seen.RetainedFiles, seen.MeterName));
        using JsonDocument line = JsonDocument.Parse(Assert.Single(_folder.Lines("configured-19700101.log")));
        Assert.Equal("written", line.RootElement.GetProperty("Message").GetString());
    }

    [Theory]
    [InlineData("Capacity", "many", "Int32")]
    [InlineData("Overflow", "Explode", "Wait, DropNewest, DropBelow")]
    public void Configuration_ThatCannotBeRead_NamesKeyValueAndForm(string key, string value, string form)
    {
        HostApplicationBuilder builder = Builder(new() { [$"Logging:RacewayFile:{key}"] = value });
        builder.Logging.AddRacewayFile(_folder.File());
        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => builder.Build());

        Assert.Contains($"Logging:RacewayFile:{key} must be of the form {form}: '{value}'", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Scopes_AreWrittenIfOptionsSaySo()
    {
        foreach (bool includes in (bool[])[true, false])
        {
            using ILoggerFactory factory = LoggerFactory.Create(builder =>
                builder.AddRacewayFile(_folder.File($"{includes}.log"), options => (options.IncludeScopes, options.Time) = (includes, _time)));
            ILogger logger = factory.CreateLogger("Shop");
            using (logger.BeginScope("Request {Id}", 9))
            using (logger.BeginScope("Step"))
                logger.LogInformation("inside");
            logger.LogInformation("outside");
        }

        Assert.Equal(
            ["1970-01-01 00:00:00.000Z INF Shop => Request 9 => Step: inside", "1970-01-01 00:00:00.000Z INF Shop: outside"], _folder.Lines("True.log"));
        Assert.Equal(
            ["1970-01-01 00:00:00.000Z INF Shop: inside", "1970-01-01 00:00:00.000Z INF Shop: outside"], _folder.Lines("False.log"));
    }

    [Fact]
    public void Json_HasValuesScopesAndExceptionByName()
    {
        using (ILoggerFactory factory = LoggerFactory.Create(builder => builder.AddRacewayFile(
            _folder.File(), options => (options.IncludeScopes, options.Format, options.Time) = (true, LogFormat.Json, _time))))
        {
            ILogger logger = factory.CreateLogger("Shop");
            using (logger.BeginScope("Request {Id}", 9))
                logger.Log(LogLevel.Error, new EventId(7), new InvalidOperationException("broken"), "{Order} \"{Name}\" {Paid} {Price}", 42, "Änna\n", true, 1.5m);
        }

        using JsonDocument json = JsonDocument.Parse(Assert.Single(_folder.Lines()));
        JsonElement root = json.RootElement;
        Assert.Equal("1970-01-01 00:00:00.000Z", root.GetProperty("Timestamp").GetString());
        Assert.Equal((7, "Error", "Shop"), (root.GetProperty("EventId").GetInt32(), root.GetProperty("LogLevel").GetString(), root.GetProperty("Category").GetString()));
        Assert.Equal("42 \"Änna\n\" True 1.5", root.GetProperty("Message").GetString());
        Assert.StartsWith("System.InvalidOperationException: broken", root.GetProperty("Exception").GetString(), StringComparison.Ordinal);
        JsonElement state = root.GetProperty("State");
        Assert.Equal(
            (42, "Änna\n", true, 1.5m),
            (state.GetProperty("Order").GetInt32(), state.GetProperty("Name").GetString(), state.GetProperty("Paid").GetBoolean(), state.GetProperty("Price").GetDecimal()));
        Assert.Equal("{Order} \"{Name}\" {Paid} {Price}", state.GetProperty("{OriginalFormat}").GetString());
        Assert.Equal(9, Assert.Single(root.GetProperty("Scopes").EnumerateArray()).GetProperty("Id").GetInt32());
    }

    [Theory]
    [InlineData(256)]
    [InlineData(1024)]
    public void Json_TooLong_StaysJson(int most)
    {
        using (ILoggerFactory factory = LoggerFactory.Create(builder => builder.AddRacewayFile(
            _folder.File(), options => (options.MaxEntryBytes, options.Format, options.Time) = (most, LogFormat.Json, _time))))
        {
            factory.CreateLogger("Shop").LogInformation("{Text}", new string('"', 100_000));
            factory.CreateLogger(new string('\u0001', 500)).LogInformation(new InvalidOperationException(new string('x', 5000)), "short");
        }

        foreach (string line in _folder.Lines())
        {
            Assert.InRange(System.Text.Encoding.UTF8.GetByteCount(line), most / 8, most);
            using JsonDocument json = JsonDocument.Parse(line);
            Assert.True(json.RootElement.GetProperty("Cut").GetBoolean());
        }

        Assert.Equal(2, _folder.Lines().Length);
    }

    [Fact]
    public void Json_Notice_IsJsonAsWell()
    {
        var disk = new FaultyDisk();
        disk.Hold();
        using (var provider = new RacewayFileLoggerProvider(new RacewayFileLoggerOptions
        {
            Path = _folder.File(), Format = LogFormat.Json, Capacity = 16, FlushInterval = TimeSpan.Zero, Overflow = LogOverflow.DropNewest, Disk = disk,
        }))
        {
            ILogger logger = provider.CreateLogger("Shop");
            for (int i = 0; i < 20; i++) logger.LogInformation("entry");
            disk.Release();
        }

        Assert.All(_folder.Lines(), static line => JsonDocument.Parse(line).Dispose());
        Assert.Contains(_folder.Lines(), static line => line.Contains("4 log entries were dropped because the buffer was full (4 Information)", StringComparison.Ordinal));
    }

    [Fact]
    public void Provider_AddedBesides_IsASecondFile()
    {
        using (ILoggerFactory factory = LoggerFactory.Create(builder => builder.AddRacewayFile(_folder.File("one.log"))
            .Services.AddSingleton<ILoggerProvider>(_ => new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = _folder.File("two.log") }))))
            factory.CreateLogger("Shop").LogInformation("both");

        Assert.All((string[])["one.log", "two.log"], name => Assert.EndsWith("both", Assert.Single(_folder.Lines(name)), StringComparison.Ordinal));
    }

    [Fact]
    public void Formatter_OfTheUser_WritesTheEntry()
    {
        using (var provider = new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = _folder.File(), Formatter = new Bare() }))
            provider.CreateLogger("Shop").LogInformation("a {Number}", 1);

        Assert.Equal(["Shop|a 1"], _folder.Lines());
    }

    [Fact]
    public void Path_Missing_IsRefusedWithTheRemedy()
    {
        HostApplicationBuilder builder = Builder();
        builder.Logging.AddRacewayFile();
        Assert.Contains("AddRacewayFile", Assert.Throws<ArgumentException>(() => builder.Build()).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Log_AfterTheHostsEnd_IsRefusedAndCounted()
    {
        var provider = new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = _folder.File() });
        ILogger logger = provider.CreateLogger("Shop");
        provider.Dispose();
        provider.Dispose();
        logger.LogCritical("late");

        Assert.Equal(1, provider.File.GetStatistics().Refused);
    }

    [Fact]
    public void Meter_OfTheHost_HasTheFilesFigures()
    {
        Dictionary<string, long> figures = [];
        using var listener = new MeterListener();
        listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == LogFileMeter.MeterName) listener.EnableMeasurementEvents(instrument);
        };
        listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
        {
            // Other tests have files as well.
            if (!tags.Contains(new KeyValuePair<string, object?>("raceway.log.name", "metered"))) return;
            string reason = tags.Length > 1 ? $"/{tags[1].Value}" : "";
            figures[instrument.Name + reason] = value;
        });
        listener.Start();
        using var provider = new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = _folder.File(), MeterName = "metered" });
        ILogger logger = provider.CreateLogger("Shop");
        for (int i = 0; i < 5; i++) logger.LogInformation("entry");
        Assert.True(provider.File.Flush());
        listener.RecordObservableInstruments();

        Assert.Equal(5, figures["raceway.log.entries"]);
        Assert.Equal(new FileInfo(_folder.File()).Length, figures["raceway.log.bytes"]);
        Assert.Equal(
            [
                "raceway.log.backlog", "raceway.log.bytes", "raceway.log.cut", "raceway.log.dropped/disposed", "raceway.log.dropped/file",
                "raceway.log.dropped/format", "raceway.log.dropped/full", "raceway.log.entries", "raceway.log.faults", "raceway.log.writes",
            ],
            figures.Keys.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void References_OfThePackage_HaveNoSerilog() =>
        Assert.DoesNotContain(
            typeof(LogFile).Assembly.GetReferencedAssemblies(), static reference => reference.Name!.Contains("Serilog", StringComparison.Ordinal));

    [LoggerMessage(7, LogLevel.Information, "Order {Order} of {Name} is shipped")]
    private static partial void Shipped(ILogger logger, int order, string name);

    private static HostApplicationBuilder Builder(Dictionary<string, string?>? configuration = null)
    {
        HostApplicationBuilder builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        if (configuration is not null) builder.Configuration.AddInMemoryCollection(configuration);
        builder.Services.AddLogging(logging => logging.AddConfiguration(builder.Configuration.GetSection("Logging")));
        return builder;
    }

    private sealed class Bare : EntryFormatter
    {
        public override void Write<TState>(
            in Microsoft.Extensions.Logging.Abstractions.LogEntry<TState> entry, IExternalScopeProvider? scopes, EntryWriter writer)
        {
            writer.Write(entry.Category);
            writer.Write('|');
            writer.WriteLine(entry.Formatter(entry.State, entry.Exception));
        }
    }
}
