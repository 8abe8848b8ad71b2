using Xunit;

namespace Raceway.Explorer;

/// <summary>The other half of the bodies, explored by a process of its own while <see cref="ExplorerTests"/> has this one.</summary>
public sealed class BesideTests(BesideTests.Process process, ITestOutputHelper output) : IClassFixture<BesideTests.Process>
{
    public static TheoryData<string, string> Bodies() => Explorer.Rows(beside: true);

    [Theory]
    [MemberData(nameof(Bodies))]
    public void Body_EveryExecution_IsRight(string name, string mode)
    {
        (bool isRight, string explored) = process.Explore(name, mode);
        output.WriteLine(explored);
        Assert.True(isRight, explored);
    }

    /// <summary>Runs <c>Program</c>'s <c>serve</c>.</summary>
    public sealed class Process : IDisposable
    {
        private readonly System.Diagnostics.Process _process;

        public Process()
        {
            var start = new System.Diagnostics.ProcessStartInfo(System.Environment.ProcessPath!)
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
            };
            // This process is either the program itself or the host that runs it.
            if (Path.GetFileNameWithoutExtension(start.FileName) == "dotnet")
            {
                start.ArgumentList.Add("exec");
                start.ArgumentList.Add(typeof(Program).Assembly.Location);
            }

            start.ArgumentList.Add("serve");
            start.ArgumentList.Add((Program.Turn + 1).ToString(System.Globalization.CultureInfo.InvariantCulture));
            _process = System.Diagnostics.Process.Start(start)!;
        }

        /// <summary>Explores a body there. A process that dies of it answers nothing.</summary>
        public (bool IsRight, string Explored) Explore(string name, string mode)
        {
            try
            {
                _process.StandardInput.WriteLine($"{name} {mode}");
                _process.StandardInput.Flush();
            }
            catch (IOException)
            {
                // It is gone: the answer says so.
            }

            var lines = new List<string>();
            while (_process.StandardOutput.ReadLine() is { } line)
            {
                if (line is Program.Right or Program.Wrong) return (line == Program.Right, string.Join('\n', lines));
                lines.Add(line);
            }

            _process.WaitForExit();
            return (false, $"The process beside this one ended with code {_process.ExitCode}. {string.Join('\n', lines)}");
        }

        public void Dispose()
        {
            _process.StandardInput.Dispose();
            _process.WaitForExit();
            _process.Dispose();
        }
    }
}
