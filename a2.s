	.file	"LLVMDialectModule"
	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI0_0:
	.long	0x39800000
.LCPI0_1:
	.long	0x358637bd
.LCPI0_2:
	.long	0x3f800000
	.text
	.p2align	4
	.type	"_mlir_ciface_main.x86-64-v2",@function
"_mlir_ciface_main.x86-64-v2":
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$600, %rsp
	.cfi_def_cfa_offset 656
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	8(%rdi), %r14
	movq	24(%rdi), %r9
	movq	8(%rsi), %rbx
	movq	8(%rdx), %r15
	movq	24(%rdx), %r12
	movq	%r9, %rax
	shlq	$14, %rax
	leaq	(%rax,%r14), %rbp
	movq	%r12, %r13
	shlq	$14, %r13
	addq	%r15, %r13
	leaq	16384(%rbx), %rdi
	addq	%r9, %r12
	shlq	$14, %r12
	addq	$16384, %r12
	cmpq	$1048576, %r12
	movq	%rax, 400(%rsp)
	jb	.LBB0_1
	movl	$191, %edi
	movq	%r9, 200(%rsp)
	callq	sysconf@PLT
	leaq	16384(%rbx), %rdi
	movq	200(%rsp), %r9
	movq	%rax, %rcx
	shlq	$4, %rcx
	testq	%rax, %rax
	movl	$16777216, %eax
	cmovgq	%rcx, %rax
	cmpq	%rax, %r12
	setae	%al
	jmp	.LBB0_3
.LBB0_1:
	xorl	%eax, %eax
.LBB0_3:
	cmpq	%r14, %r13
	setbe	%cl
	cmpq	%r15, %rbp
	setbe	%dl
	cmpq	%rbx, %r13
	setbe	%sil
	cmpq	%r15, %rdi
	setbe	%dil
	testb	$3, %r15b
	jne	.LBB0_7
	orb	%sil, %dil
	je	.LBB0_7
	orb	%cl, %dl
	je	.LBB0_7
	testb	%al, %al
	je	.LBB0_7
	testq	%r9, %r9
	jle	.LBB0_69
	xorps	%xmm15, %xmm15
	xorl	%eax, %eax
	xorps	%xmm14, %xmm14
	xorps	%xmm13, %xmm13
	xorps	%xmm12, %xmm12
	xorps	%xmm10, %xmm10
	xorps	%xmm11, %xmm11
	xorps	%xmm9, %xmm9
	xorps	%xmm1, %xmm1
	xorps	%xmm7, %xmm7
	xorps	%xmm8, %xmm8
	xorps	%xmm3, %xmm3
	xorps	%xmm6, %xmm6
	xorps	%xmm5, %xmm5
	xorps	%xmm4, %xmm4
	xorps	%xmm0, %xmm0
	xorps	%xmm2, %xmm2
	.p2align	4
.LBB0_18:
	movaps	%xmm4, 64(%rsp)
	movaps	%xmm8, 80(%rsp)
	movaps	%xmm2, 96(%rsp)
	movaps	%xmm6, 112(%rsp)
	movaps	%xmm5, 128(%rsp)
	movaps	%xmm14, 144(%rsp)
	movaps	%xmm7, 160(%rsp)
	movaps	%xmm0, 176(%rsp)
	movaps	%xmm12, 208(%rsp)
	movaps	%xmm3, 224(%rsp)
	movaps	%xmm13, 240(%rsp)
	movaps	%xmm15, 256(%rsp)
	movaps	%xmm11, 272(%rsp)
	movaps	%xmm1, 288(%rsp)
	movaps	%xmm10, 48(%rsp)
	movaps	%xmm9, 16(%rsp)
	leaq	1024(%rax), %rcx
	xorps	%xmm15, %xmm15
	xorps	%xmm14, %xmm14
	xorps	%xmm13, %xmm13
	xorps	%xmm12, %xmm12
	xorps	%xmm10, %xmm10
	xorps	%xmm11, %xmm11
	xorps	%xmm9, %xmm9
	xorps	%xmm7, %xmm7
	xorps	%xmm8, %xmm8
	xorps	%xmm6, %xmm6
	xorps	%xmm3, %xmm3
	xorps	%xmm0, %xmm0
	xorps	%xmm5, %xmm5
	xorps	%xmm4, %xmm4
	xorps	%xmm2, %xmm2
	xorps	%xmm1, %xmm1
	movaps	%xmm1, (%rsp)
	movq	%rax, %rdx
	.p2align	4
.LBB0_19:
	movaps	%xmm15, 32(%rsp)
	movups	240(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	movaps	%xmm14, %xmm15
	movaps	%xmm13, %xmm14
	movaps	%xmm12, %xmm13
	movaps	%xmm10, %xmm12
	movaps	%xmm11, %xmm10
	movaps	%xmm9, %xmm11
	movaps	%xmm7, %xmm9
	movaps	%xmm8, %xmm7
	movaps	%xmm6, %xmm8
	movaps	%xmm3, %xmm6
	movaps	%xmm0, %xmm3
	movaps	%xmm5, %xmm0
	movaps	%xmm4, %xmm5
	movaps	%xmm2, %xmm4
	movaps	(%rsp), %xmm2
	addps	%xmm1, %xmm2
	movaps	%xmm2, (%rsp)
	movaps	%xmm4, %xmm2
	movaps	%xmm5, %xmm4
	movaps	%xmm0, %xmm5
	movaps	%xmm3, %xmm0
	movaps	%xmm6, %xmm3
	movaps	%xmm8, %xmm6
	movaps	%xmm7, %xmm8
	movaps	%xmm9, %xmm7
	movaps	%xmm11, %xmm9
	movaps	%xmm10, %xmm11
	movaps	%xmm12, %xmm10
	movaps	%xmm13, %xmm12
	movaps	%xmm14, %xmm13
	movaps	%xmm15, %xmm14
	movaps	32(%rsp), %xmm15
	movups	224(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm2
	movups	208(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm4
	movups	192(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm5
	movups	176(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm0
	movups	160(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm3
	movups	144(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm6
	movups	128(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm8
	movups	112(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm7
	movups	96(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm9
	movups	80(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm11
	movups	64(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm10
	movups	48(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm12
	movups	(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm15
	movups	16(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm14
	movups	32(%r14,%rdx,4), %xmm1
	mulps	%xmm1, %xmm1
	addps	%xmm1, %xmm13
	addq	$64, %rdx
	cmpq	%rcx, %rdx
	jb	.LBB0_19
	movaps	256(%rsp), %xmm1
	addps	%xmm15, %xmm1
	movaps	%xmm1, %xmm15
	movaps	144(%rsp), %xmm1
	addps	%xmm14, %xmm1
	movaps	%xmm1, %xmm14
	movaps	240(%rsp), %xmm1
	addps	%xmm13, %xmm1
	movaps	%xmm1, %xmm13
	movaps	208(%rsp), %xmm1
	addps	%xmm12, %xmm1
	movaps	%xmm1, %xmm12
	movaps	48(%rsp), %xmm1
	addps	%xmm10, %xmm1
	movaps	%xmm1, %xmm10
	movaps	272(%rsp), %xmm1
	addps	%xmm11, %xmm1
	movaps	%xmm1, %xmm11
	movaps	16(%rsp), %xmm1
	addps	%xmm9, %xmm1
	movaps	%xmm1, %xmm9
	movaps	288(%rsp), %xmm1
	addps	%xmm7, %xmm1
	movaps	160(%rsp), %xmm7
	addps	%xmm8, %xmm7
	movaps	80(%rsp), %xmm8
	addps	%xmm6, %xmm8
	movaps	224(%rsp), %xmm6
	addps	%xmm3, %xmm6
	movaps	%xmm6, %xmm3
	movaps	112(%rsp), %xmm6
	addps	%xmm0, %xmm6
	movaps	128(%rsp), %xmm0
	addps	%xmm5, %xmm0
	movaps	%xmm0, %xmm5
	movaps	64(%rsp), %xmm0
	addps	%xmm4, %xmm0
	movaps	%xmm0, %xmm4
	movaps	176(%rsp), %xmm0
	addps	%xmm2, %xmm0
	movaps	96(%rsp), %xmm2
	addps	(%rsp), %xmm2
	cmpq	$3072, %rax
	movq	%rcx, %rax
	jb	.LBB0_18
	addps	%xmm8, %xmm14
	addps	%xmm4, %xmm11
	addps	%xmm14, %xmm11
	addps	%xmm6, %xmm12
	addps	%xmm2, %xmm1
	addps	%xmm12, %xmm1
	addps	%xmm7, %xmm15
	addps	%xmm5, %xmm10
	addps	%xmm15, %xmm10
	addps	%xmm3, %xmm13
	addps	%xmm0, %xmm9
	addps	%xmm13, %xmm9
	xorps	%xmm0, %xmm0
	addps	%xmm0, %xmm11
	addps	%xmm0, %xmm1
	addps	%xmm11, %xmm1
	addps	%xmm0, %xmm10
	addps	%xmm0, %xmm9
	addps	%xmm10, %xmm9
	addps	%xmm1, %xmm9
	movaps	%xmm9, %xmm1
	unpckhpd	%xmm9, %xmm1
	addps	%xmm9, %xmm1
	movshdup	%xmm1, %xmm0
	addss	%xmm1, %xmm0
	movq	%r15, %rdi
	negq	%rdi
	shrq	$2, %rdi
	movl	%edi, %r11d
	andl	$15, %r11d
	movl	$4096, %eax
	movl	$4096, %edx
	subq	%r11, %rdx
	movl	%edx, %ecx
	andl	$-64, %ecx
	movq	%rcx, 304(%rsp)
	leaq	(%rcx,%r11), %rsi
	andl	$-16, %edx
	leaq	(%rdx,%r11), %r12
	xorps	%xmm1, %xmm1
	addss	%xmm1, %xmm0
	decq	%r9
	movq	%rdx, 312(%rsp)
	movq	%rdi, 392(%rsp)
	jne	.LBB0_22
.LBB0_51:
	sfence
	mulss	.LCPI0_0(%rip), %xmm0
	addss	.LCPI0_1(%rip), %xmm0
	sqrtss	%xmm0, %xmm0
	movss	.LCPI0_2(%rip), %xmm3
	divss	%xmm0, %xmm3
	testq	%r11, %r11
	movq	400(%rsp), %rdi
	movq	312(%rsp), %r8
	je	.LBB0_59
	movq	392(%rsp), %r10
	andq	$12, %r10
	je	.LBB0_55
	movaps	%xmm3, %xmm0
	shufps	$0, %xmm3, %xmm0
	leaq	(%r15,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	xorl	%edx, %edx
	.p2align	4
.LBB0_54:
	movups	(%rcx,%rdx,4), %xmm1
	mulps	%xmm0, %xmm1
	movups	(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm2
	movups	%xmm2, (%rax,%rdx,4)
	addq	$4, %rdx
	cmpq	%r10, %rdx
	jb	.LBB0_54
.LBB0_55:
	shlq	$12, %r9
	cmpl	%r11d, %r10d
	jae	.LBB0_58
	leaq	(%r15,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	.p2align	4
.LBB0_57:
	movss	(%rcx,%r10,4), %xmm0
	mulss	%xmm3, %xmm0
	mulss	(%rbx,%r10,4), %xmm0
	movss	%xmm0, (%rax,%r10,4)
	incq	%r10
	cmpq	%r11, %r10
	jb	.LBB0_57
.LBB0_58:
	leaq	(%r15,%r9,4), %rax
	prefetcht0	(%rax,%r12,4)
.LBB0_59:
	movaps	%xmm3, 48(%rsp)
	movaps	%xmm3, %xmm1
	shufps	$0, %xmm3, %xmm1
	leaq	(%r15,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	movq	%r11, %rdx
	.p2align	4
.LBB0_60:
	movups	224(%rcx,%rdx,4), %xmm0
	movaps	%xmm0, (%rsp)
	movups	208(%rcx,%rdx,4), %xmm4
	movups	192(%rcx,%rdx,4), %xmm3
	movups	176(%rcx,%rdx,4), %xmm5
	movups	160(%rcx,%rdx,4), %xmm6
	movups	144(%rcx,%rdx,4), %xmm7
	movups	128(%rcx,%rdx,4), %xmm8
	movups	112(%rcx,%rdx,4), %xmm9
	movups	96(%rcx,%rdx,4), %xmm10
	movups	80(%rcx,%rdx,4), %xmm11
	movups	64(%rcx,%rdx,4), %xmm12
	movups	(%rcx,%rdx,4), %xmm13
	movups	16(%rcx,%rdx,4), %xmm0
	movups	32(%rcx,%rdx,4), %xmm15
	movups	48(%rcx,%rdx,4), %xmm14
	movups	16(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm0
	mulps	%xmm2, %xmm0
	movups	(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm13
	mulps	%xmm2, %xmm13
	movups	32(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm15
	mulps	%xmm2, %xmm15
	movups	48(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm14
	mulps	%xmm2, %xmm14
	movups	64(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm12
	mulps	%xmm2, %xmm12
	movups	80(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm11
	mulps	%xmm2, %xmm11
	movups	96(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm10
	mulps	%xmm2, %xmm10
	movups	112(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm9
	mulps	%xmm2, %xmm9
	movups	128(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm8
	mulps	%xmm2, %xmm8
	movups	144(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm7
	mulps	%xmm2, %xmm7
	movups	160(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm6
	mulps	%xmm2, %xmm6
	movups	176(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm5
	mulps	%xmm2, %xmm5
	movups	192(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm3
	mulps	%xmm2, %xmm3
	movaps	%xmm3, 32(%rsp)
	movups	208(%rbx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm4
	mulps	%xmm2, %xmm4
	movaps	%xmm4, 16(%rsp)
	movups	224(%rbx,%rdx,4), %xmm2
	movaps	(%rsp), %xmm4
	mulps	%xmm1, %xmm4
	mulps	%xmm2, %xmm4
	movups	240(%rcx,%rdx,4), %xmm2
	mulps	%xmm1, %xmm2
	movups	240(%rbx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm2
	movntps	%xmm0, 16(%rax,%rdx,4)
	movntps	%xmm13, (%rax,%rdx,4)
	movntps	%xmm15, 32(%rax,%rdx,4)
	movntps	%xmm14, 48(%rax,%rdx,4)
	movntps	%xmm12, 64(%rax,%rdx,4)
	movntps	%xmm11, 80(%rax,%rdx,4)
	movntps	%xmm10, 96(%rax,%rdx,4)
	movntps	%xmm9, 112(%rax,%rdx,4)
	movntps	%xmm8, 128(%rax,%rdx,4)
	movntps	%xmm7, 144(%rax,%rdx,4)
	movntps	%xmm6, 160(%rax,%rdx,4)
	movntps	%xmm5, 176(%rax,%rdx,4)
	movaps	32(%rsp), %xmm0
	movntps	%xmm0, 192(%rax,%rdx,4)
	movaps	16(%rsp), %xmm0
	movntps	%xmm0, 208(%rax,%rdx,4)
	movntps	%xmm4, 224(%rax,%rdx,4)
	movntps	%xmm2, 240(%rax,%rdx,4)
	addq	$64, %rdx
	cmpq	%rsi, %rdx
	jb	.LBB0_60
	sfence
	testq	%r11, %r11
	movaps	48(%rsp), %xmm9
	je	.LBB0_69
	cmpl	%r8d, 304(%rsp)
	jae	.LBB0_64
	.p2align	4
.LBB0_63:
	movups	(%rcx,%rsi,4), %xmm0
	movups	16(%rcx,%rsi,4), %xmm2
	movups	32(%rcx,%rsi,4), %xmm3
	movups	48(%rcx,%rsi,4), %xmm4
	movups	(%rbx,%rsi,4), %xmm5
	movups	16(%rbx,%rsi,4), %xmm6
	movups	32(%rbx,%rsi,4), %xmm7
	movups	48(%rbx,%rsi,4), %xmm8
	mulps	%xmm1, %xmm0
	mulps	%xmm5, %xmm0
	mulps	%xmm1, %xmm2
	mulps	%xmm6, %xmm2
	mulps	%xmm1, %xmm3
	mulps	%xmm7, %xmm3
	mulps	%xmm1, %xmm4
	mulps	%xmm8, %xmm4
	movntps	%xmm0, (%rax,%rsi,4)
	movntps	%xmm2, 16(%rax,%rsi,4)
	movntps	%xmm3, 32(%rax,%rsi,4)
	movntps	%xmm4, 48(%rax,%rsi,4)
	addq	$16, %rsi
	cmpq	%r12, %rsi
	jb	.LBB0_63
.LBB0_64:
	sfence
	movl	$4096, %edx
	subq	%r12, %rdx
	andq	$-4, %rdx
	addq	%r12, %rdx
	cmpq	$4092, %r12
	ja	.LBB0_66
	.p2align	4
.LBB0_65:
	movups	(%rcx,%r12,4), %xmm0
	movups	(%rbx,%r12,4), %xmm2
	mulps	%xmm1, %xmm0
	mulps	%xmm2, %xmm0
	movups	%xmm0, (%rax,%r12,4)
	addq	$4, %r12
	cmpq	%rdx, %r12
	jl	.LBB0_65
.LBB0_66:
	cmpl	$4095, %edx
	jg	.LBB0_69
	movl	$4096, %esi
	subq	%r11, %rsi
	subq	%r8, %rsi
	andq	$-4, %rsi
	addq	%r8, %rsi
	leaq	(%r11,%rsi), %rdx
	decq	%rdx
	.p2align	4
.LBB0_68:
	movss	4(%rcx,%rdx,4), %xmm0
	mulss	%xmm9, %xmm0
	mulss	4(%rbx,%rdx,4), %xmm0
	movss	%xmm0, 4(%rax,%rdx,4)
	incq	%rdx
	cmpq	$4095, %rdx
	jl	.LBB0_68
	jmp	.LBB0_69
.LBB0_7:
	testq	%r9, %r9
	jle	.LBB0_69
	xorl	%eax, %eax
	.p2align	4
.LBB0_9:
	movq	%r14, %rcx
	xorps	%xmm0, %xmm0
	movaps	%xmm0, 16(%rsp)
	movaps	%xmm0, 48(%rsp)
	xorps	%xmm6, %xmm6
	xorps	%xmm14, %xmm14
	xorps	%xmm2, %xmm2
	xorps	%xmm4, %xmm4
	xorps	%xmm1, %xmm1
	xorps	%xmm3, %xmm3
	xorps	%xmm12, %xmm12
	xorps	%xmm13, %xmm13
	xorps	%xmm10, %xmm10
	xorps	%xmm11, %xmm11
	xorps	%xmm8, %xmm8
	xorps	%xmm15, %xmm15
	xorps	%xmm5, %xmm5
	xorps	%xmm7, %xmm7
	xorl	%edx, %edx
	.p2align	4
.LBB0_10:
	movaps	%xmm15, 64(%rsp)
	movaps	%xmm13, 80(%rsp)
	movaps	%xmm7, 96(%rsp)
	movaps	%xmm11, 112(%rsp)
	movaps	%xmm8, 128(%rsp)
	movaps	%xmm12, 144(%rsp)
	movaps	%xmm5, 160(%rsp)
	movaps	%xmm14, 176(%rsp)
	movaps	%xmm10, 208(%rsp)
	movaps	%xmm6, 224(%rsp)
	movaps	%xmm4, 240(%rsp)
	movaps	%xmm3, 256(%rsp)
	movaps	%xmm2, 272(%rsp)
	movaps	%xmm1, 288(%rsp)
	leaq	1024(%rdx), %rsi
	xorps	%xmm14, %xmm14
	xorl	%edi, %edi
	xorps	%xmm0, %xmm0
	xorps	%xmm4, %xmm4
	xorps	%xmm3, %xmm3
	xorps	%xmm2, %xmm2
	xorps	%xmm15, %xmm15
	xorps	%xmm1, %xmm1
	xorps	%xmm12, %xmm12
	xorps	%xmm13, %xmm13
	xorps	%xmm11, %xmm11
	xorps	%xmm10, %xmm10
	xorps	%xmm8, %xmm8
	xorps	%xmm5, %xmm5
	xorps	%xmm7, %xmm7
	xorps	%xmm9, %xmm9
	xorps	%xmm6, %xmm6
	movaps	%xmm6, (%rsp)
	.p2align	4
.LBB0_11:
	movaps	%xmm0, 32(%rsp)
	movups	240(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	movaps	%xmm4, %xmm0
	movaps	%xmm3, %xmm4
	movaps	%xmm2, %xmm3
	movaps	%xmm15, %xmm2
	movaps	%xmm14, %xmm15
	movaps	%xmm1, %xmm14
	movaps	%xmm12, %xmm1
	movaps	%xmm13, %xmm12
	movaps	%xmm11, %xmm13
	movaps	%xmm10, %xmm11
	movaps	%xmm8, %xmm10
	movaps	%xmm5, %xmm8
	movaps	%xmm7, %xmm5
	movaps	%xmm9, %xmm7
	movaps	(%rsp), %xmm9
	addps	%xmm6, %xmm9
	movaps	%xmm9, (%rsp)
	movaps	%xmm7, %xmm9
	movaps	%xmm5, %xmm7
	movaps	%xmm8, %xmm5
	movaps	%xmm10, %xmm8
	movaps	%xmm11, %xmm10
	movaps	%xmm13, %xmm11
	movaps	%xmm12, %xmm13
	movaps	%xmm1, %xmm12
	movaps	%xmm14, %xmm1
	movaps	%xmm15, %xmm14
	movaps	%xmm2, %xmm15
	movaps	%xmm3, %xmm2
	movaps	%xmm4, %xmm3
	movaps	%xmm0, %xmm4
	movaps	32(%rsp), %xmm0
	movups	224(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm9
	movups	208(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm7
	movups	192(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm5
	movups	176(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm8
	movups	160(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm10
	movups	144(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm11
	movups	128(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm13
	movups	112(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm12
	movups	96(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm1
	movups	80(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm15
	movups	64(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm2
	movups	48(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm3
	movups	(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm0
	movups	16(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm14
	movups	32(%rcx,%rdi,4), %xmm6
	mulps	%xmm6, %xmm6
	addps	%xmm6, %xmm4
	leaq	(%rdx,%rdi), %r8
	addq	$64, %r8
	addq	$64, %rdi
	cmpq	%rsi, %r8
	jb	.LBB0_11
	movaps	16(%rsp), %xmm6
	addps	%xmm0, %xmm6
	movaps	%xmm6, 16(%rsp)
	movaps	48(%rsp), %xmm0
	addps	%xmm14, %xmm0
	movaps	%xmm0, 48(%rsp)
	movaps	224(%rsp), %xmm6
	addps	%xmm4, %xmm6
	movaps	176(%rsp), %xmm14
	addps	%xmm3, %xmm14
	movaps	272(%rsp), %xmm0
	addps	%xmm2, %xmm0
	movaps	%xmm0, %xmm2
	movaps	240(%rsp), %xmm4
	addps	%xmm15, %xmm4
	movaps	288(%rsp), %xmm0
	addps	%xmm1, %xmm0
	movaps	%xmm0, %xmm1
	movaps	256(%rsp), %xmm3
	addps	%xmm12, %xmm3
	movaps	144(%rsp), %xmm12
	addps	%xmm13, %xmm12
	movaps	80(%rsp), %xmm13
	addps	%xmm11, %xmm13
	movaps	208(%rsp), %xmm0
	addps	%xmm10, %xmm0
	movaps	%xmm0, %xmm10
	movaps	112(%rsp), %xmm11
	addps	%xmm8, %xmm11
	movaps	128(%rsp), %xmm8
	addps	%xmm5, %xmm8
	movaps	64(%rsp), %xmm15
	addps	%xmm7, %xmm15
	movaps	160(%rsp), %xmm5
	addps	%xmm9, %xmm5
	movaps	96(%rsp), %xmm7
	addps	(%rsp), %xmm7
	addq	$4096, %rcx
	cmpq	$3072, %rdx
	movq	%rsi, %rdx
	jb	.LBB0_10
	movaps	48(%rsp), %xmm0
	addps	%xmm13, %xmm0
	addps	%xmm15, %xmm4
	addps	%xmm0, %xmm4
	addps	%xmm11, %xmm14
	addps	%xmm7, %xmm3
	addps	%xmm14, %xmm3
	movaps	16(%rsp), %xmm0
	addps	%xmm12, %xmm0
	addps	%xmm8, %xmm2
	addps	%xmm0, %xmm2
	addps	%xmm10, %xmm6
	addps	%xmm5, %xmm1
	addps	%xmm6, %xmm1
	xorps	%xmm0, %xmm0
	addps	%xmm0, %xmm4
	addps	%xmm0, %xmm3
	addps	%xmm4, %xmm3
	addps	%xmm0, %xmm2
	addps	%xmm0, %xmm1
	addps	%xmm2, %xmm1
	addps	%xmm3, %xmm1
	movaps	%xmm1, %xmm0
	unpckhpd	%xmm1, %xmm0
	addps	%xmm1, %xmm0
	movshdup	%xmm0, %xmm1
	addss	%xmm0, %xmm1
	xorps	%xmm0, %xmm0
	addss	%xmm0, %xmm1
	mulss	.LCPI0_0(%rip), %xmm1
	addss	.LCPI0_1(%rip), %xmm1
	sqrtss	%xmm1, %xmm1
	movss	.LCPI0_2(%rip), %xmm0
	divss	%xmm1, %xmm0
	shufps	$0, %xmm0, %xmm0
	movq	$-64, %rcx
	.p2align	4
.LBB0_14:
	movups	480(%r14,%rcx,4), %xmm1
	movaps	%xmm1, (%rsp)
	movups	464(%r14,%rcx,4), %xmm3
	movups	448(%r14,%rcx,4), %xmm2
	movups	432(%r14,%rcx,4), %xmm4
	movups	416(%r14,%rcx,4), %xmm5
	movups	400(%r14,%rcx,4), %xmm6
	movups	384(%r14,%rcx,4), %xmm7
	movups	368(%r14,%rcx,4), %xmm8
	movups	352(%r14,%rcx,4), %xmm9
	movups	336(%r14,%rcx,4), %xmm10
	movups	320(%r14,%rcx,4), %xmm11
	movups	256(%r14,%rcx,4), %xmm12
	movups	272(%r14,%rcx,4), %xmm15
	movups	288(%r14,%rcx,4), %xmm14
	movups	304(%r14,%rcx,4), %xmm13
	movups	272(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm15
	mulps	%xmm1, %xmm15
	movups	256(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm12
	mulps	%xmm1, %xmm12
	movups	288(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm14
	mulps	%xmm1, %xmm14
	movups	304(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm13
	mulps	%xmm1, %xmm13
	movups	320(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm11
	mulps	%xmm1, %xmm11
	movups	336(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm10
	mulps	%xmm1, %xmm10
	movups	352(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm9
	mulps	%xmm1, %xmm9
	movups	368(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm8
	mulps	%xmm1, %xmm8
	movups	384(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm7
	mulps	%xmm1, %xmm7
	movups	400(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm6
	mulps	%xmm1, %xmm6
	movups	416(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm5
	mulps	%xmm1, %xmm5
	movups	432(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm4
	mulps	%xmm1, %xmm4
	movups	448(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm2
	mulps	%xmm1, %xmm2
	movaps	%xmm2, 32(%rsp)
	movups	464(%rbx,%rcx,4), %xmm1
	mulps	%xmm0, %xmm3
	mulps	%xmm1, %xmm3
	movaps	%xmm3, 16(%rsp)
	movups	480(%rbx,%rcx,4), %xmm1
	movaps	(%rsp), %xmm3
	mulps	%xmm0, %xmm3
	mulps	%xmm1, %xmm3
	movups	496(%r14,%rcx,4), %xmm1
	mulps	%xmm0, %xmm1
	movups	496(%rbx,%rcx,4), %xmm2
	mulps	%xmm2, %xmm1
	movups	%xmm15, 272(%r15,%rcx,4)
	movups	%xmm12, 256(%r15,%rcx,4)
	movups	%xmm14, 288(%r15,%rcx,4)
	movups	%xmm13, 304(%r15,%rcx,4)
	movups	%xmm11, 320(%r15,%rcx,4)
	movups	%xmm10, 336(%r15,%rcx,4)
	movups	%xmm9, 352(%r15,%rcx,4)
	movups	%xmm8, 368(%r15,%rcx,4)
	movups	%xmm7, 384(%r15,%rcx,4)
	movups	%xmm6, 400(%r15,%rcx,4)
	movups	%xmm5, 416(%r15,%rcx,4)
	movups	%xmm4, 432(%r15,%rcx,4)
	movaps	32(%rsp), %xmm2
	movups	%xmm2, 448(%r15,%rcx,4)
	movaps	16(%rsp), %xmm2
	movups	%xmm2, 464(%r15,%rcx,4)
	movups	%xmm3, 480(%r15,%rcx,4)
	movups	%xmm1, 496(%r15,%rcx,4)
	addq	$64, %rcx
	cmpq	$4032, %rcx
	jb	.LBB0_14
	incq	%rax
	addq	$16384, %r14
	addq	$16384, %r15
	cmpq	%r9, %rax
	jne	.LBB0_9
.LBB0_69:
	addq	$600, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	retq
.LBB0_22:
	.cfi_def_cfa_offset 656
	andl	$12, %edi
	movq	%rdi, 424(%rsp)
	leaq	(%r15,%r12,4), %rcx
	movq	%rcx, 416(%rsp)
	leaq	4096(%r11), %rcx
	movq	%rcx, 448(%rsp)
	movl	$4096, %ecx
	subq	%r12, %rcx
	andq	$-4, %rcx
	addq	%r12, %rcx
	movq	%rcx, 440(%rsp)
	leal	(,%r11,4), %ecx
	leaq	(%rcx,%rbx), %rdi
	addq	$192, %rdi
	movq	%rdi, 432(%rsp)
	leaq	(%r15,%rcx), %r13
	leaq	(%rcx,%r14), %rbp
	addq	$128, %rbp
	subq	%r11, %rax
	subq	%rdx, %rax
	andq	$-4, %rax
	addq	%rdx, %rax
	addq	%r11, %rax
	decq	%rax
	movq	%rax, 408(%rsp)
	xorl	%edx, %edx
	movq	%r14, %r8
	movq	%r15, %r10
	movq	%r9, 200(%rsp)
	movq	%r11, 464(%rsp)
	movq	%r12, 456(%rsp)
	jmp	.LBB0_23
	.p2align	4
.LBB0_50:
	movaps	80(%rsp), %xmm0
	addps	352(%rsp), %xmm0
	movaps	128(%rsp), %xmm2
	addps	320(%rsp), %xmm2
	addps	%xmm0, %xmm2
	movaps	96(%rsp), %xmm0
	addps	368(%rsp), %xmm0
	addps	336(%rsp), %xmm10
	addps	%xmm0, %xmm10
	movaps	144(%rsp), %xmm0
	addps	%xmm13, %xmm0
	movaps	160(%rsp), %xmm1
	addps	64(%rsp), %xmm1
	addps	%xmm0, %xmm1
	movaps	112(%rsp), %xmm0
	addps	%xmm11, %xmm0
	addps	%xmm12, %xmm9
	addps	%xmm0, %xmm9
	xorps	%xmm0, %xmm0
	addps	%xmm0, %xmm2
	addps	%xmm0, %xmm10
	addps	%xmm2, %xmm10
	addps	%xmm0, %xmm1
	addps	%xmm0, %xmm9
	addps	%xmm1, %xmm9
	addps	%xmm10, %xmm9
	movaps	%xmm9, %xmm1
	unpckhpd	%xmm9, %xmm1
	addps	%xmm9, %xmm1
	movshdup	%xmm1, %xmm0
	addss	%xmm1, %xmm0
	xorps	%xmm1, %xmm1
	addss	%xmm1, %xmm0
	addq	$16384, %r10
	addq	$16384, %r8
	addq	$16384, %r13
	addq	$16384, %rbp
	cmpq	%r9, %rdx
	je	.LBB0_51
.LBB0_23:
	mulss	.LCPI0_0(%rip), %xmm0
	addss	.LCPI0_1(%rip), %xmm0
	sqrtss	%xmm0, %xmm0
	movss	.LCPI0_2(%rip), %xmm3
	divss	%xmm0, %xmm3
	testq	%r11, %r11
	je	.LBB0_24
	movq	424(%rsp), %rcx
	testq	%rcx, %rcx
	je	.LBB0_28
	movaps	%xmm3, %xmm0
	shufps	$0, %xmm3, %xmm0
	xorl	%eax, %eax
	.p2align	4
.LBB0_27:
	movups	(%r8,%rax,4), %xmm1
	mulps	%xmm0, %xmm1
	movups	(%rbx,%rax,4), %xmm2
	mulps	%xmm1, %xmm2
	movups	%xmm2, (%r10,%rax,4)
	addq	$4, %rax
	cmpq	%rcx, %rax
	jb	.LBB0_27
.LBB0_28:
	cmpl	%r11d, %ecx
	jae	.LBB0_31
	movq	%rcx, %rax
	.p2align	4
.LBB0_30:
	movss	(%r8,%rax,4), %xmm0
	mulss	%xmm3, %xmm0
	mulss	(%rbx,%rax,4), %xmm0
	movss	%xmm0, (%r10,%rax,4)
	incq	%rax
	cmpq	%r11, %rax
	jb	.LBB0_30
.LBB0_31:
	movq	%rdx, %rax
	shlq	$12, %rax
	movq	416(%rsp), %rcx
	prefetcht0	(%rcx,%rax,4)
	movl	$128, %r12d
	jmp	.LBB0_32
	.p2align	4
.LBB0_24:
	movl	$64, %r12d
.LBB0_32:
	incq	%rdx
	movq	%rdx, 472(%rsp)
	movaps	%xmm3, 496(%rsp)
	shufps	$0, %xmm3, %xmm3
	movaps	%xmm3, 176(%rsp)
	leal	(,%r12,4), %eax
	movq	432(%rsp), %rdi
	subq	%rax, %rdi
	movq	%r13, 488(%rsp)
	movq	%r13, %r11
	subq	%rax, %r11
	movq	%rbp, 480(%rsp)
	movq	%rbp, %r13
	subq	%rax, %r13
	xorps	%xmm0, %xmm0
	movaps	%xmm0, 144(%rsp)
	movq	%r8, %rcx
	movaps	%xmm0, 80(%rsp)
	movaps	%xmm0, 112(%rsp)
	movaps	%xmm0, 96(%rsp)
	movaps	%xmm0, 160(%rsp)
	movaps	%xmm0, 128(%rsp)
	xorps	%xmm9, %xmm9
	xorps	%xmm10, %xmm10
	xorps	%xmm13, %xmm13
	movaps	%xmm0, 352(%rsp)
	xorps	%xmm11, %xmm11
	movaps	%xmm0, 368(%rsp)
	movaps	%xmm0, 64(%rsp)
	movaps	%xmm0, 320(%rsp)
	xorps	%xmm12, %xmm12
	xorl	%eax, %eax
	movaps	%xmm0, 336(%rsp)
	jmp	.LBB0_33
	.p2align	4
.LBB0_37:
	movaps	144(%rsp), %xmm3
	addps	%xmm5, %xmm3
	movaps	%xmm3, 144(%rsp)
	movaps	80(%rsp), %xmm3
	addps	%xmm9, %xmm3
	movaps	%xmm3, 80(%rsp)
	movaps	112(%rsp), %xmm3
	addps	%xmm1, %xmm3
	movaps	%xmm3, 112(%rsp)
	movaps	96(%rsp), %xmm1
	addps	%xmm0, %xmm1
	movaps	%xmm1, 96(%rsp)
	movaps	160(%rsp), %xmm0
	addps	%xmm6, %xmm0
	movaps	%xmm0, 160(%rsp)
	movaps	128(%rsp), %xmm0
	addps	%xmm4, %xmm0
	movaps	%xmm0, 128(%rsp)
	movaps	576(%rsp), %xmm9
	addps	32(%rsp), %xmm9
	movaps	%xmm10, %xmm1
	movaps	560(%rsp), %xmm10
	addps	(%rsp), %xmm10
	movaps	%xmm13, %xmm0
	movaps	512(%rsp), %xmm13
	addps	%xmm0, %xmm13
	movaps	352(%rsp), %xmm0
	addps	%xmm11, %xmm0
	movaps	%xmm0, 352(%rsp)
	movaps	544(%rsp), %xmm11
	addps	%xmm1, %xmm11
	movaps	368(%rsp), %xmm0
	addps	%xmm15, %xmm0
	movaps	%xmm0, 368(%rsp)
	movaps	64(%rsp), %xmm0
	addps	%xmm14, %xmm0
	movaps	%xmm0, 64(%rsp)
	movaps	320(%rsp), %xmm0
	addps	%xmm12, %xmm0
	movaps	%xmm0, 320(%rsp)
	movaps	528(%rsp), %xmm12
	addps	%xmm8, %xmm12
	movaps	336(%rsp), %xmm0
	addps	%xmm7, %xmm0
	movaps	%xmm0, 336(%rsp)
	addq	$4096, %rdi
	addq	$4096, %rcx
	addq	$4096, %r11
	addq	$4096, %r13
	cmpq	$3072, %rax
	movq	%rbp, %rax
	jae	.LBB0_38
.LBB0_33:
	movaps	%xmm13, 512(%rsp)
	movaps	%xmm12, 528(%rsp)
	movaps	%xmm11, 544(%rsp)
	movaps	%xmm10, 560(%rsp)
	movaps	%xmm9, 576(%rsp)
	leaq	1024(%rax), %rbp
	xorl	%edx, %edx
	xorps	%xmm5, %xmm5
	xorps	%xmm9, %xmm9
	xorps	%xmm1, %xmm1
	xorps	%xmm0, %xmm0
	xorps	%xmm6, %xmm6
	xorps	%xmm4, %xmm4
	xorps	%xmm2, %xmm2
	movaps	%xmm2, 32(%rsp)
	movaps	%xmm2, (%rsp)
	xorps	%xmm13, %xmm13
	xorps	%xmm11, %xmm11
	xorps	%xmm10, %xmm10
	xorps	%xmm15, %xmm15
	xorps	%xmm14, %xmm14
	xorps	%xmm12, %xmm12
	xorps	%xmm8, %xmm8
	xorps	%xmm7, %xmm7
	jmp	.LBB0_34
	.p2align	4
.LBB0_36:
	movups	16624(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm7
	movups	16608(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm8
	movups	16592(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm12
	movups	16576(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm14
	movups	16560(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm15
	movups	16544(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm10
	movups	16528(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm11
	movups	16512(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm13
	movups	16496(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	movaps	(%rsp), %xmm2
	addps	%xmm3, %xmm2
	movaps	%xmm2, (%rsp)
	movups	16480(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	movaps	32(%rsp), %xmm2
	addps	%xmm3, %xmm2
	movaps	%xmm2, 32(%rsp)
	movups	16464(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm4
	movups	16448(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm6
	movups	16432(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm0
	movups	16384(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm5
	movups	16400(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm9
	movups	16416(%rcx,%rdx,4), %xmm3
	mulps	%xmm3, %xmm3
	addps	%xmm3, %xmm1
	leaq	(%rax,%rdx), %r9
	addq	$64, %r9
	addq	$64, %rdx
	cmpq	%rbp, %r9
	jae	.LBB0_37
.LBB0_34:
	leaq	(%rax,%rdx), %r9
	prefetcht0	17408(%rcx,%rdx,4)
	prefetcht0	17472(%rcx,%rdx,4)
	prefetcht0	17536(%rcx,%rdx,4)
	prefetcht0	17600(%rcx,%rdx,4)
	cmpq	%r12, %r9
	jb	.LBB0_36
	movaps	%xmm11, 224(%rsp)
	movups	-128(%r13,%rdx,4), %xmm11
	movaps	%xmm7, 16(%rsp)
	movups	-112(%r13,%rdx,4), %xmm7
	movaps	%xmm12, 288(%rsp)
	movups	-96(%r13,%rdx,4), %xmm12
	movaps	%xmm14, 272(%rsp)
	movups	-80(%r13,%rdx,4), %xmm14
	movaps	%xmm15, 256(%rsp)
	movups	-192(%rdi,%rdx,4), %xmm15
	movaps	%xmm10, 240(%rsp)
	movups	-176(%rdi,%rdx,4), %xmm10
	movaps	%xmm8, 48(%rsp)
	movups	-160(%rdi,%rdx,4), %xmm8
	movups	-144(%rdi,%rdx,4), %xmm3
	movaps	%xmm13, 208(%rsp)
	movaps	176(%rsp), %xmm13
	mulps	%xmm13, %xmm11
	mulps	%xmm15, %xmm11
	mulps	%xmm13, %xmm7
	mulps	%xmm10, %xmm7
	mulps	%xmm13, %xmm12
	mulps	%xmm8, %xmm12
	mulps	%xmm13, %xmm14
	mulps	%xmm3, %xmm14
	movntps	%xmm11, (%r11,%rdx,4)
	movntps	%xmm7, 16(%r11,%rdx,4)
	movntps	%xmm12, 32(%r11,%rdx,4)
	movntps	%xmm14, 48(%r11,%rdx,4)
	movups	-64(%r13,%rdx,4), %xmm3
	movups	-48(%r13,%rdx,4), %xmm7
	movups	-32(%r13,%rdx,4), %xmm8
	movups	-16(%r13,%rdx,4), %xmm10
	movups	-128(%rdi,%rdx,4), %xmm11
	movups	-112(%rdi,%rdx,4), %xmm12
	movups	-96(%rdi,%rdx,4), %xmm14
	movups	-80(%rdi,%rdx,4), %xmm15
	mulps	%xmm13, %xmm10
	mulps	%xmm15, %xmm10
	mulps	%xmm13, %xmm3
	mulps	%xmm11, %xmm3
	mulps	%xmm13, %xmm7
	mulps	%xmm12, %xmm7
	mulps	%xmm13, %xmm8
	mulps	%xmm14, %xmm8
	movntps	%xmm10, 112(%r11,%rdx,4)
	movntps	%xmm3, 64(%r11,%rdx,4)
	movntps	%xmm7, 80(%r11,%rdx,4)
	movntps	%xmm8, 96(%r11,%rdx,4)
	movups	(%r13,%rdx,4), %xmm3
	movups	16(%r13,%rdx,4), %xmm7
	movups	32(%r13,%rdx,4), %xmm8
	movups	48(%r13,%rdx,4), %xmm10
	movups	-64(%rdi,%rdx,4), %xmm11
	movups	-48(%rdi,%rdx,4), %xmm12
	movups	-32(%rdi,%rdx,4), %xmm14
	movups	-16(%rdi,%rdx,4), %xmm15
	mulps	%xmm13, %xmm10
	mulps	%xmm15, %xmm10
	mulps	%xmm13, %xmm3
	mulps	%xmm11, %xmm3
	mulps	%xmm13, %xmm7
	mulps	%xmm12, %xmm7
	mulps	%xmm13, %xmm8
	mulps	%xmm14, %xmm8
	movntps	%xmm10, 176(%r11,%rdx,4)
	movntps	%xmm3, 128(%r11,%rdx,4)
	movntps	%xmm7, 144(%r11,%rdx,4)
	movntps	%xmm8, 160(%r11,%rdx,4)
	movups	64(%r13,%rdx,4), %xmm3
	movups	80(%r13,%rdx,4), %xmm7
	movups	96(%r13,%rdx,4), %xmm8
	movups	112(%r13,%rdx,4), %xmm10
	movups	(%rdi,%rdx,4), %xmm11
	movups	16(%rdi,%rdx,4), %xmm12
	movups	32(%rdi,%rdx,4), %xmm14
	movups	48(%rdi,%rdx,4), %xmm15
	mulps	%xmm13, %xmm8
	mulps	%xmm14, %xmm8
	movaps	272(%rsp), %xmm14
	mulps	%xmm13, %xmm10
	mulps	%xmm15, %xmm10
	movaps	256(%rsp), %xmm15
	mulps	%xmm13, %xmm3
	mulps	%xmm11, %xmm3
	movaps	224(%rsp), %xmm11
	mulps	%xmm13, %xmm7
	movaps	208(%rsp), %xmm13
	mulps	%xmm12, %xmm7
	movaps	288(%rsp), %xmm12
	movntps	%xmm8, 224(%r11,%rdx,4)
	movaps	48(%rsp), %xmm8
	movntps	%xmm10, 240(%r11,%rdx,4)
	movaps	240(%rsp), %xmm10
	movntps	%xmm3, 192(%r11,%rdx,4)
	movntps	%xmm7, 208(%r11,%rdx,4)
	movaps	16(%rsp), %xmm7
	jmp	.LBB0_36
	.p2align	4
.LBB0_38:
	movq	448(%rsp), %rax
	subq	%r12, %rax
	cmpq	%rsi, %rax
	movaps	176(%rsp), %xmm8
	jae	.LBB0_40
	.p2align	4
.LBB0_39:
	movups	(%r8,%rax,4), %xmm0
	movups	16(%r8,%rax,4), %xmm1
	movups	32(%r8,%rax,4), %xmm2
	movups	48(%r8,%rax,4), %xmm3
	movups	(%rbx,%rax,4), %xmm4
	movups	16(%rbx,%rax,4), %xmm5
	movups	32(%rbx,%rax,4), %xmm6
	movups	48(%rbx,%rax,4), %xmm7
	mulps	%xmm8, %xmm0
	mulps	%xmm4, %xmm0
	mulps	%xmm8, %xmm1
	mulps	%xmm5, %xmm1
	mulps	%xmm8, %xmm2
	mulps	%xmm6, %xmm2
	mulps	%xmm8, %xmm3
	mulps	%xmm7, %xmm3
	movntps	%xmm0, (%r10,%rax,4)
	movntps	%xmm1, 16(%r10,%rax,4)
	movntps	%xmm2, 32(%r10,%rax,4)
	movntps	%xmm3, 48(%r10,%rax,4)
	movups	64(%r8,%rax,4), %xmm0
	movups	80(%r8,%rax,4), %xmm1
	movups	96(%r8,%rax,4), %xmm2
	movups	112(%r8,%rax,4), %xmm3
	movups	64(%rbx,%rax,4), %xmm4
	movups	80(%rbx,%rax,4), %xmm5
	movups	96(%rbx,%rax,4), %xmm6
	movups	112(%rbx,%rax,4), %xmm7
	mulps	%xmm8, %xmm3
	mulps	%xmm7, %xmm3
	mulps	%xmm8, %xmm0
	mulps	%xmm4, %xmm0
	mulps	%xmm8, %xmm1
	mulps	%xmm5, %xmm1
	mulps	%xmm8, %xmm2
	mulps	%xmm6, %xmm2
	movntps	%xmm3, 112(%r10,%rax,4)
	movntps	%xmm0, 64(%r10,%rax,4)
	movntps	%xmm1, 80(%r10,%rax,4)
	movntps	%xmm2, 96(%r10,%rax,4)
	movups	128(%r8,%rax,4), %xmm0
	movups	144(%r8,%rax,4), %xmm1
	movups	160(%r8,%rax,4), %xmm2
	movups	176(%r8,%rax,4), %xmm3
	movups	128(%rbx,%rax,4), %xmm4
	movups	144(%rbx,%rax,4), %xmm5
	movups	160(%rbx,%rax,4), %xmm6
	movups	176(%rbx,%rax,4), %xmm7
	mulps	%xmm8, %xmm3
	mulps	%xmm7, %xmm3
	mulps	%xmm8, %xmm0
	mulps	%xmm4, %xmm0
	mulps	%xmm8, %xmm1
	mulps	%xmm5, %xmm1
	mulps	%xmm8, %xmm2
	mulps	%xmm6, %xmm2
	movntps	%xmm3, 176(%r10,%rax,4)
	movntps	%xmm0, 128(%r10,%rax,4)
	movntps	%xmm1, 144(%r10,%rax,4)
	movntps	%xmm2, 160(%r10,%rax,4)
	movups	192(%r8,%rax,4), %xmm0
	movups	208(%r8,%rax,4), %xmm1
	movups	224(%r8,%rax,4), %xmm2
	movups	240(%r8,%rax,4), %xmm3
	movups	192(%rbx,%rax,4), %xmm4
	movups	208(%rbx,%rax,4), %xmm5
	movups	224(%rbx,%rax,4), %xmm6
	movups	240(%rbx,%rax,4), %xmm7
	mulps	%xmm8, %xmm2
	mulps	%xmm6, %xmm2
	mulps	%xmm8, %xmm3
	mulps	%xmm7, %xmm3
	mulps	%xmm8, %xmm0
	mulps	%xmm4, %xmm0
	mulps	%xmm8, %xmm1
	mulps	%xmm5, %xmm1
	movntps	%xmm2, 224(%r10,%rax,4)
	movntps	%xmm3, 240(%r10,%rax,4)
	movntps	%xmm0, 192(%r10,%rax,4)
	movntps	%xmm1, 208(%r10,%rax,4)
	addq	$64, %rax
	cmpq	%rsi, %rax
	jb	.LBB0_39
.LBB0_40:
	movq	464(%rsp), %r11
	testq	%r11, %r11
	movq	200(%rsp), %r9
	movq	456(%rsp), %r12
	movq	440(%rsp), %rcx
	movq	488(%rsp), %r13
	movq	480(%rsp), %rbp
	movq	472(%rsp), %rdx
	movaps	496(%rsp), %xmm8
	je	.LBB0_50
	movq	304(%rsp), %rax
	cmpl	312(%rsp), %eax
	movaps	176(%rsp), %xmm14
	jae	.LBB0_44
	movq	%rsi, %rax
	.p2align	4
.LBB0_43:
	movups	(%r8,%rax,4), %xmm0
	movups	16(%r8,%rax,4), %xmm1
	movups	32(%r8,%rax,4), %xmm2
	movups	48(%r8,%rax,4), %xmm3
	movups	(%rbx,%rax,4), %xmm4
	movups	16(%rbx,%rax,4), %xmm5
	movups	32(%rbx,%rax,4), %xmm6
	movups	48(%rbx,%rax,4), %xmm7
	mulps	%xmm14, %xmm0
	mulps	%xmm4, %xmm0
	mulps	%xmm14, %xmm1
	mulps	%xmm5, %xmm1
	mulps	%xmm14, %xmm2
	mulps	%xmm6, %xmm2
	mulps	%xmm14, %xmm3
	mulps	%xmm7, %xmm3
	movntps	%xmm0, (%r10,%rax,4)
	movntps	%xmm1, 16(%r10,%rax,4)
	movntps	%xmm2, 32(%r10,%rax,4)
	movntps	%xmm3, 48(%r10,%rax,4)
	addq	$16, %rax
	cmpq	%r12, %rax
	jb	.LBB0_43
.LBB0_44:
	cmpl	$4092, %r12d
	ja	.LBB0_47
	movq	%r12, %rax
	.p2align	4
.LBB0_46:
	movups	(%r8,%rax,4), %xmm0
	movups	(%rbx,%rax,4), %xmm1
	mulps	%xmm14, %xmm0
	mulps	%xmm1, %xmm0
	movups	%xmm0, (%r10,%rax,4)
	addq	$4, %rax
	cmpq	%rcx, %rax
	jl	.LBB0_46
.LBB0_47:
	cmpl	$4095, %ecx
	jg	.LBB0_50
	movq	408(%rsp), %rax
	.p2align	4
.LBB0_49:
	movss	4(%r8,%rax,4), %xmm0
	mulss	%xmm8, %xmm0
	mulss	4(%rbx,%rax,4), %xmm0
	movss	%xmm0, 4(%r10,%rax,4)
	incq	%rax
	cmpq	$4095, %rax
	jl	.LBB0_49
	jmp	.LBB0_50
.Lfunc_end0:
	.size	"_mlir_ciface_main.x86-64-v2", .Lfunc_end0-"_mlir_ciface_main.x86-64-v2"
	.cfi_endproc

	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI1_0:
	.long	0x39800000
.LCPI1_1:
	.long	0x358637bd
.LCPI1_2:
	.long	0x3f800000
	.text
	.p2align	4
	.type	"_mlir_ciface_main.x86-64-v3",@function
"_mlir_ciface_main.x86-64-v3":
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$440, %rsp
	.cfi_def_cfa_offset 496
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	8(%rdi), %r14
	movq	24(%rdi), %r9
	movq	8(%rsi), %rbx
	movq	8(%rdx), %r15
	movq	24(%rdx), %r12
	movq	%r9, %rax
	shlq	$14, %rax
	leaq	(%rax,%r14), %rbp
	movq	%r12, %r13
	shlq	$14, %r13
	addq	%r15, %r13
	leaq	16384(%rbx), %rdi
	addq	%r9, %r12
	shlq	$14, %r12
	addq	$16384, %r12
	cmpq	$1048576, %r12
	movq	%rax, 32(%rsp)
	jb	.LBB1_1
	movl	$191, %edi
	movq	%r9, (%rsp)
	callq	sysconf@PLT
	leaq	16384(%rbx), %rdi
	movq	(%rsp), %r9
	movq	%rax, %rcx
	shlq	$4, %rcx
	testq	%rax, %rax
	movl	$16777216, %eax
	cmovgq	%rcx, %rax
	cmpq	%rax, %r12
	setae	%al
	jmp	.LBB1_3
.LBB1_1:
	xorl	%eax, %eax
.LBB1_3:
	cmpq	%r14, %r13
	setbe	%cl
	cmpq	%r15, %rbp
	setbe	%dl
	cmpq	%rbx, %r13
	setbe	%sil
	cmpq	%r15, %rdi
	setbe	%dil
	testb	$3, %r15b
	jne	.LBB1_7
	orb	%sil, %dil
	je	.LBB1_7
	orb	%cl, %dl
	je	.LBB1_7
	testb	%al, %al
	je	.LBB1_7
	testq	%r9, %r9
	jle	.LBB1_70
	vxorps	%xmm2, %xmm2, %xmm2
	xorl	%eax, %eax
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm7, %xmm7, %xmm7
	vxorps	%xmm5, %xmm5, %xmm5
	.p2align	4
.LBB1_18:
	vmovups	%ymm7, 160(%rsp)
	vmovups	%ymm6, 192(%rsp)
	vmovups	%ymm5, 224(%rsp)
	vmovups	%ymm4, 256(%rsp)
	vmovups	%ymm1, 288(%rsp)
	vmovups	%ymm0, 320(%rsp)
	vmovups	%ymm3, 352(%rsp)
	vmovups	%ymm2, 128(%rsp)
	leaq	1024(%rax), %rcx
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm9, %xmm9, %xmm9
	vxorps	%xmm10, %xmm10, %xmm10
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm12, %xmm12, %xmm12
	vxorps	%xmm13, %xmm13, %xmm13
	vxorps	%xmm14, %xmm14, %xmm14
	vxorps	%xmm15, %xmm15, %xmm15
	movq	%rax, %rdx
	.p2align	4
.LBB1_19:
	vmovups	(%r14,%rdx,4), %ymm0
	vmovups	32(%r14,%rdx,4), %ymm1
	vmovups	64(%r14,%rdx,4), %ymm2
	vmovups	96(%r14,%rdx,4), %ymm3
	vmovups	128(%r14,%rdx,4), %ymm4
	vmovups	160(%r14,%rdx,4), %ymm5
	vmovups	192(%r14,%rdx,4), %ymm6
	vmovups	224(%r14,%rdx,4), %ymm7
	vmulps	%ymm7, %ymm7, %ymm7
	vaddps	%ymm7, %ymm15, %ymm15
	vmulps	%ymm6, %ymm6, %ymm6
	vaddps	%ymm6, %ymm14, %ymm14
	vmulps	%ymm5, %ymm5, %ymm5
	vaddps	%ymm5, %ymm13, %ymm13
	vmulps	%ymm4, %ymm4, %ymm4
	vaddps	%ymm4, %ymm12, %ymm12
	vmulps	%ymm3, %ymm3, %ymm3
	vaddps	%ymm3, %ymm11, %ymm11
	vmulps	%ymm0, %ymm0, %ymm0
	vaddps	%ymm0, %ymm8, %ymm8
	vmulps	%ymm1, %ymm1, %ymm0
	vaddps	%ymm0, %ymm9, %ymm9
	vmulps	%ymm2, %ymm2, %ymm0
	vaddps	%ymm0, %ymm10, %ymm10
	addq	$64, %rdx
	cmpq	%rcx, %rdx
	jb	.LBB1_19
	vmovups	320(%rsp), %ymm0
	vaddps	%ymm0, %ymm8, %ymm0
	vmovups	128(%rsp), %ymm2
	vaddps	%ymm2, %ymm9, %ymm2
	vmovups	288(%rsp), %ymm1
	vaddps	%ymm1, %ymm10, %ymm1
	vmovups	352(%rsp), %ymm3
	vaddps	%ymm3, %ymm11, %ymm3
	vmovups	192(%rsp), %ymm6
	vaddps	%ymm6, %ymm12, %ymm6
	vmovups	256(%rsp), %ymm4
	vaddps	%ymm4, %ymm13, %ymm4
	vmovups	160(%rsp), %ymm7
	vaddps	%ymm7, %ymm14, %ymm7
	vmovups	224(%rsp), %ymm5
	vaddps	%ymm5, %ymm15, %ymm5
	cmpq	$3072, %rax
	movq	%rcx, %rax
	jb	.LBB1_18
	vaddps	%ymm6, %ymm0, %ymm0
	vaddps	%ymm7, %ymm1, %ymm1
	vaddps	%ymm1, %ymm0, %ymm0
	vaddps	%ymm4, %ymm2, %ymm1
	vaddps	%ymm5, %ymm3, %ymm2
	vaddps	%ymm2, %ymm1, %ymm1
	vxorps	%xmm2, %xmm2, %xmm2
	vaddps	%ymm2, %ymm0, %ymm0
	vaddps	%ymm2, %ymm1, %ymm1
	vaddps	%ymm1, %ymm0, %ymm0
	vextractf128	$1, %ymm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vshufpd	$1, %xmm0, %xmm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vmovshdup	%xmm0, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	movq	%r15, %rdi
	negq	%rdi
	shrq	$2, %rdi
	movl	%edi, %r11d
	andl	$15, %r11d
	movl	$4096, %eax
	movl	$4096, %edx
	subq	%r11, %rdx
	movl	%edx, %ecx
	andl	$-64, %ecx
	movq	%rcx, 8(%rsp)
	leaq	(%rcx,%r11), %rsi
	andl	$-16, %edx
	leaq	(%rdx,%r11), %r12
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	decq	%r9
	movq	%rdx, 16(%rsp)
	movq	%rdi, 24(%rsp)
	jne	.LBB1_22
.LBB1_51:
	sfence
	vmulss	.LCPI1_0(%rip), %xmm0, %xmm0
	vaddss	.LCPI1_1(%rip), %xmm0, %xmm0
	vsqrtss	%xmm0, %xmm0, %xmm0
	vmovss	.LCPI1_2(%rip), %xmm1
	vdivss	%xmm0, %xmm1, %xmm0
	testq	%r11, %r11
	movq	32(%rsp), %rdi
	movq	16(%rsp), %r8
	je	.LBB1_59
	movq	24(%rsp), %r10
	andq	$12, %r10
	je	.LBB1_55
	vbroadcastss	%xmm0, %xmm1
	leaq	(%r15,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	xorl	%edx, %edx
	.p2align	4
.LBB1_54:
	vmulps	(%rcx,%rdx,4), %xmm1, %xmm2
	vmulps	(%rbx,%rdx,4), %xmm2, %xmm2
	vmovups	%xmm2, (%rax,%rdx,4)
	addq	$4, %rdx
	cmpq	%r10, %rdx
	jb	.LBB1_54
.LBB1_55:
	shlq	$12, %r9
	cmpl	%r11d, %r10d
	jae	.LBB1_58
	leaq	(%r15,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	.p2align	4
.LBB1_57:
	vmulss	(%rcx,%r10,4), %xmm0, %xmm1
	vmulss	(%rbx,%r10,4), %xmm1, %xmm1
	vmovss	%xmm1, (%rax,%r10,4)
	incq	%r10
	cmpq	%r11, %r10
	jb	.LBB1_57
.LBB1_58:
	leaq	(%r15,%r9,4), %rax
	prefetcht0	(%rax,%r12,4)
.LBB1_59:
	vbroadcastss	%xmm0, %ymm1
	leaq	(%r15,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	movq	%r11, %rdx
	.p2align	4
.LBB1_60:
	vmulps	192(%rcx,%rdx,4), %ymm1, %ymm2
	vmulps	224(%rcx,%rdx,4), %ymm1, %ymm3
	vmulps	128(%rcx,%rdx,4), %ymm1, %ymm4
	vmulps	160(%rcx,%rdx,4), %ymm1, %ymm5
	vmulps	64(%rcx,%rdx,4), %ymm1, %ymm6
	vmulps	96(%rcx,%rdx,4), %ymm1, %ymm7
	vmulps	(%rcx,%rdx,4), %ymm1, %ymm8
	vmulps	32(%rcx,%rdx,4), %ymm1, %ymm9
	vmulps	32(%rbx,%rdx,4), %ymm9, %ymm9
	vmulps	(%rbx,%rdx,4), %ymm8, %ymm8
	vmulps	96(%rbx,%rdx,4), %ymm7, %ymm7
	vmulps	64(%rbx,%rdx,4), %ymm6, %ymm6
	vmulps	160(%rbx,%rdx,4), %ymm5, %ymm5
	vmulps	128(%rbx,%rdx,4), %ymm4, %ymm4
	vmulps	224(%rbx,%rdx,4), %ymm3, %ymm3
	vmulps	192(%rbx,%rdx,4), %ymm2, %ymm2
	vmovntps	%ymm2, 192(%rax,%rdx,4)
	vmovntps	%ymm3, 224(%rax,%rdx,4)
	vmovntps	%ymm4, 128(%rax,%rdx,4)
	vmovntps	%ymm5, 160(%rax,%rdx,4)
	vmovntps	%ymm6, 64(%rax,%rdx,4)
	vmovntps	%ymm7, 96(%rax,%rdx,4)
	vmovntps	%ymm8, (%rax,%rdx,4)
	vmovntps	%ymm9, 32(%rax,%rdx,4)
	addq	$64, %rdx
	cmpq	%rsi, %rdx
	jb	.LBB1_60
	sfence
	testq	%r11, %r11
	je	.LBB1_70
	cmpl	%r8d, 8(%rsp)
	jae	.LBB1_64
	.p2align	4
.LBB1_63:
	vmulps	32(%rcx,%rsi,4), %ymm1, %ymm2
	vmulps	(%rcx,%rsi,4), %ymm1, %ymm3
	vmulps	(%rbx,%rsi,4), %ymm3, %ymm3
	vmulps	32(%rbx,%rsi,4), %ymm2, %ymm2
	vmovntps	%ymm2, 32(%rax,%rsi,4)
	vmovntps	%ymm3, (%rax,%rsi,4)
	addq	$16, %rsi
	cmpq	%r12, %rsi
	jb	.LBB1_63
.LBB1_64:
	sfence
	movl	$4096, %edx
	subq	%r12, %rdx
	andq	$-4, %rdx
	addq	%r12, %rdx
	cmpq	$4092, %r12
	ja	.LBB1_67
	vbroadcastss	%xmm0, %xmm1
	.p2align	4
.LBB1_66:
	vmulps	(%rcx,%r12,4), %xmm1, %xmm2
	vmulps	(%rbx,%r12,4), %xmm2, %xmm2
	vmovups	%xmm2, (%rax,%r12,4)
	addq	$4, %r12
	cmpq	%rdx, %r12
	jl	.LBB1_66
.LBB1_67:
	cmpl	$4095, %edx
	jg	.LBB1_70
	movl	$4096, %esi
	subq	%r11, %rsi
	subq	%r8, %rsi
	andq	$-4, %rsi
	addq	%r8, %rsi
	leaq	(%r11,%rsi), %rdx
	decq	%rdx
	.p2align	4
.LBB1_69:
	vmulss	4(%rcx,%rdx,4), %xmm0, %xmm1
	vmulss	4(%rbx,%rdx,4), %xmm1, %xmm1
	vmovss	%xmm1, 4(%rax,%rdx,4)
	incq	%rdx
	cmpq	$4095, %rdx
	jl	.LBB1_69
	jmp	.LBB1_70
.LBB1_7:
	testq	%r9, %r9
	jle	.LBB1_70
	xorl	%eax, %eax
	.p2align	4
.LBB1_9:
	movq	%r14, %rcx
	vxorps	%xmm7, %xmm7, %xmm7
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm3, %xmm3, %xmm3
	xorl	%edx, %edx
	.p2align	4
.LBB1_10:
	vmovups	%ymm4, 160(%rsp)
	vmovups	%ymm1, 192(%rsp)
	vmovups	%ymm3, 224(%rsp)
	vmovups	%ymm2, 256(%rsp)
	vmovups	%ymm8, 288(%rsp)
	vmovups	%ymm7, 320(%rsp)
	vmovups	%ymm6, 352(%rsp)
	vmovups	%ymm5, 128(%rsp)
	leaq	1024(%rdx), %rsi
	vxorps	%xmm13, %xmm13, %xmm13
	xorl	%edi, %edi
	vxorps	%xmm14, %xmm14, %xmm14
	vxorps	%xmm15, %xmm15, %xmm15
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm0, %xmm0, %xmm0
	.p2align	4
.LBB1_11:
	vmovups	(%rcx,%rdi,4), %ymm5
	vmovups	32(%rcx,%rdi,4), %ymm6
	vmovups	64(%rcx,%rdi,4), %ymm7
	vmovups	96(%rcx,%rdi,4), %ymm8
	vmovups	128(%rcx,%rdi,4), %ymm9
	vmovups	160(%rcx,%rdi,4), %ymm10
	vmovups	192(%rcx,%rdi,4), %ymm11
	vmovups	224(%rcx,%rdi,4), %ymm12
	vmulps	%ymm12, %ymm12, %ymm12
	vaddps	%ymm0, %ymm12, %ymm0
	vmulps	%ymm11, %ymm11, %ymm11
	vaddps	%ymm4, %ymm11, %ymm4
	vmulps	%ymm10, %ymm10, %ymm10
	vaddps	%ymm3, %ymm10, %ymm3
	vmulps	%ymm9, %ymm9, %ymm9
	vaddps	%ymm2, %ymm9, %ymm2
	vmulps	%ymm8, %ymm8, %ymm8
	vaddps	%ymm1, %ymm8, %ymm1
	vmulps	%ymm5, %ymm5, %ymm5
	vaddps	%ymm5, %ymm14, %ymm14
	vmulps	%ymm6, %ymm6, %ymm5
	vaddps	%ymm5, %ymm13, %ymm13
	vmulps	%ymm7, %ymm7, %ymm5
	vaddps	%ymm5, %ymm15, %ymm15
	leaq	(%rdx,%rdi), %r8
	addq	$64, %r8
	addq	$64, %rdi
	cmpq	%rsi, %r8
	jb	.LBB1_11
	vmovups	320(%rsp), %ymm7
	vaddps	%ymm7, %ymm14, %ymm7
	vmovups	128(%rsp), %ymm5
	vaddps	%ymm5, %ymm13, %ymm5
	vmovups	288(%rsp), %ymm8
	vaddps	%ymm15, %ymm8, %ymm8
	vmovups	352(%rsp), %ymm6
	vaddps	%ymm1, %ymm6, %ymm6
	vmovups	192(%rsp), %ymm1
	vaddps	%ymm2, %ymm1, %ymm1
	vmovups	256(%rsp), %ymm2
	vaddps	%ymm3, %ymm2, %ymm2
	vmovups	160(%rsp), %ymm3
	vaddps	%ymm4, %ymm3, %ymm4
	vmovups	224(%rsp), %ymm3
	vaddps	%ymm0, %ymm3, %ymm3
	addq	$4096, %rcx
	cmpq	$3072, %rdx
	movq	%rsi, %rdx
	jb	.LBB1_10
	vaddps	%ymm1, %ymm7, %ymm0
	vaddps	%ymm4, %ymm8, %ymm1
	vaddps	%ymm1, %ymm0, %ymm0
	vaddps	%ymm2, %ymm5, %ymm1
	vaddps	%ymm3, %ymm6, %ymm2
	vaddps	%ymm2, %ymm1, %ymm1
	vxorps	%xmm2, %xmm2, %xmm2
	vaddps	%ymm2, %ymm0, %ymm0
	vaddps	%ymm2, %ymm1, %ymm1
	vaddps	%ymm1, %ymm0, %ymm0
	vextractf128	$1, %ymm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vshufpd	$1, %xmm0, %xmm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vmovshdup	%xmm0, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vmulss	.LCPI1_0(%rip), %xmm0, %xmm0
	vaddss	.LCPI1_1(%rip), %xmm0, %xmm0
	vsqrtss	%xmm0, %xmm0, %xmm0
	vmovss	.LCPI1_2(%rip), %xmm1
	vdivss	%xmm0, %xmm1, %xmm0
	vbroadcastss	%xmm0, %ymm0
	movq	$-64, %rcx
	.p2align	4
.LBB1_14:
	vmulps	448(%r14,%rcx,4), %ymm0, %ymm1
	vmulps	480(%r14,%rcx,4), %ymm0, %ymm2
	vmulps	384(%r14,%rcx,4), %ymm0, %ymm3
	vmulps	416(%r14,%rcx,4), %ymm0, %ymm4
	vmulps	320(%r14,%rcx,4), %ymm0, %ymm5
	vmulps	352(%r14,%rcx,4), %ymm0, %ymm6
	vmulps	256(%r14,%rcx,4), %ymm0, %ymm7
	vmulps	288(%r14,%rcx,4), %ymm0, %ymm8
	vmulps	288(%rbx,%rcx,4), %ymm8, %ymm8
	vmulps	256(%rbx,%rcx,4), %ymm7, %ymm7
	vmulps	352(%rbx,%rcx,4), %ymm6, %ymm6
	vmulps	320(%rbx,%rcx,4), %ymm5, %ymm5
	vmulps	416(%rbx,%rcx,4), %ymm4, %ymm4
	vmulps	384(%rbx,%rcx,4), %ymm3, %ymm3
	vmulps	480(%rbx,%rcx,4), %ymm2, %ymm2
	vmulps	448(%rbx,%rcx,4), %ymm1, %ymm1
	vmovups	%ymm1, 448(%r15,%rcx,4)
	vmovups	%ymm2, 480(%r15,%rcx,4)
	vmovups	%ymm3, 384(%r15,%rcx,4)
	vmovups	%ymm4, 416(%r15,%rcx,4)
	vmovups	%ymm5, 320(%r15,%rcx,4)
	vmovups	%ymm6, 352(%r15,%rcx,4)
	vmovups	%ymm7, 256(%r15,%rcx,4)
	vmovups	%ymm8, 288(%r15,%rcx,4)
	addq	$64, %rcx
	cmpq	$4032, %rcx
	jb	.LBB1_14
	incq	%rax
	addq	$16384, %r14
	addq	$16384, %r15
	cmpq	%r9, %rax
	jne	.LBB1_9
.LBB1_70:
	addq	$440, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB1_22:
	.cfi_def_cfa_offset 496
	andl	$12, %edi
	movq	%rdi, 56(%rsp)
	leaq	(%r15,%r12,4), %rcx
	movq	%rcx, 48(%rsp)
	leaq	4096(%r11), %rcx
	movq	%rcx, 80(%rsp)
	movl	$4096, %ecx
	subq	%r12, %rcx
	andq	$-4, %rcx
	addq	%r12, %rcx
	movq	%rcx, 72(%rsp)
	leal	(,%r11,4), %ecx
	leaq	(%rcx,%rbx), %rdi
	addq	$192, %rdi
	movq	%rdi, 64(%rsp)
	leaq	(%r15,%rcx), %r13
	leaq	(%rcx,%r14), %rbp
	addq	$128, %rbp
	subq	%r11, %rax
	subq	%rdx, %rax
	andq	$-4, %rax
	addq	%rdx, %rax
	addq	%r11, %rax
	decq	%rax
	movq	%rax, 40(%rsp)
	xorl	%edx, %edx
	movq	%r14, %r8
	movq	%r15, %r10
	movq	%r9, (%rsp)
	movq	%r11, 96(%rsp)
	movq	%r12, 88(%rsp)
	jmp	.LBB1_23
	.p2align	4
.LBB1_50:
	vaddps	%ymm10, %ymm8, %ymm0
	vaddps	%ymm11, %ymm9, %ymm1
	vaddps	%ymm1, %ymm0, %ymm0
	vaddps	%ymm4, %ymm7, %ymm1
	vaddps	%ymm5, %ymm3, %ymm2
	vaddps	%ymm2, %ymm1, %ymm1
	vxorps	%xmm2, %xmm2, %xmm2
	vaddps	%ymm2, %ymm0, %ymm0
	vaddps	%ymm2, %ymm1, %ymm1
	vaddps	%ymm1, %ymm0, %ymm0
	vextractf128	$1, %ymm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vshufpd	$1, %xmm0, %xmm0, %xmm1
	vaddps	%xmm1, %xmm0, %xmm0
	vmovshdup	%xmm0, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm0, %xmm0
	addq	$16384, %r10
	addq	$16384, %r8
	addq	$16384, %r13
	addq	$16384, %rbp
	cmpq	%r9, %rdx
	je	.LBB1_51
.LBB1_23:
	vmulss	.LCPI1_0(%rip), %xmm0, %xmm0
	vaddss	.LCPI1_1(%rip), %xmm0, %xmm0
	vsqrtss	%xmm0, %xmm0, %xmm0
	vmovss	.LCPI1_2(%rip), %xmm1
	vdivss	%xmm0, %xmm1, %xmm2
	testq	%r11, %r11
	je	.LBB1_24
	movq	56(%rsp), %rcx
	testq	%rcx, %rcx
	je	.LBB1_28
	vbroadcastss	%xmm2, %xmm0
	xorl	%eax, %eax
	.p2align	4
.LBB1_27:
	vmulps	(%r8,%rax,4), %xmm0, %xmm1
	vmulps	(%rbx,%rax,4), %xmm1, %xmm1
	vmovups	%xmm1, (%r10,%rax,4)
	addq	$4, %rax
	cmpq	%rcx, %rax
	jb	.LBB1_27
.LBB1_28:
	cmpl	%r11d, %ecx
	jae	.LBB1_31
	movq	%rcx, %rax
	.p2align	4
.LBB1_30:
	vmulss	(%r8,%rax,4), %xmm2, %xmm0
	vmulss	(%rbx,%rax,4), %xmm0, %xmm0
	vmovss	%xmm0, (%r10,%rax,4)
	incq	%rax
	cmpq	%r11, %rax
	jb	.LBB1_30
.LBB1_31:
	movq	%rdx, %rax
	shlq	$12, %rax
	movq	48(%rsp), %rcx
	prefetcht0	(%rcx,%rax,4)
	movl	$128, %r12d
	jmp	.LBB1_32
	.p2align	4
.LBB1_24:
	movl	$64, %r12d
.LBB1_32:
	incq	%rdx
	movq	%rdx, 104(%rsp)
	vmovaps	%xmm2, 384(%rsp)
	vbroadcastss	%xmm2, %ymm0
	vmovups	%ymm0, 128(%rsp)
	leal	(,%r12,4), %eax
	movq	64(%rsp), %rdi
	subq	%rax, %rdi
	movq	%r13, 120(%rsp)
	movq	%r13, %r11
	subq	%rax, %r11
	movq	%rbp, 112(%rsp)
	movq	%rbp, %r13
	subq	%rax, %r13
	vxorps	%xmm7, %xmm7, %xmm7
	movq	%r8, %rcx
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm9, %xmm9, %xmm9
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm10, %xmm10, %xmm10
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm5, %xmm5, %xmm5
	xorl	%eax, %eax
	jmp	.LBB1_33
	.p2align	4
.LBB1_37:
	vmovups	288(%rsp), %ymm8
	vaddps	%ymm15, %ymm8, %ymm8
	vmovups	352(%rsp), %ymm7
	vaddps	%ymm2, %ymm7, %ymm7
	vmovups	256(%rsp), %ymm9
	vaddps	%ymm3, %ymm9, %ymm9
	vmovups	320(%rsp), %ymm3
	vaddps	%ymm4, %ymm3, %ymm3
	vmovups	160(%rsp), %ymm10
	vaddps	%ymm1, %ymm10, %ymm10
	vmovups	224(%rsp), %ymm4
	vaddps	%ymm0, %ymm4, %ymm4
	vmovups	400(%rsp), %ymm11
	vaddps	%ymm5, %ymm11, %ymm11
	vmovups	192(%rsp), %ymm5
	vaddps	%ymm6, %ymm5, %ymm5
	addq	$4096, %rdi
	addq	$4096, %rcx
	addq	$4096, %r11
	addq	$4096, %r13
	cmpq	$3072, %rax
	movq	%rbp, %rax
	jae	.LBB1_38
.LBB1_33:
	vmovups	%ymm11, 400(%rsp)
	vmovups	%ymm10, 160(%rsp)
	vmovups	%ymm5, 192(%rsp)
	vmovups	%ymm4, 224(%rsp)
	vmovups	%ymm9, 256(%rsp)
	vmovups	%ymm8, 288(%rsp)
	vmovups	%ymm3, 320(%rsp)
	vmovups	%ymm7, 352(%rsp)
	leaq	1024(%rax), %rbp
	xorl	%edx, %edx
	vxorps	%xmm15, %xmm15, %xmm15
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm6, %xmm6, %xmm6
	jmp	.LBB1_34
	.p2align	4
.LBB1_36:
	vmovups	16384(%rcx,%rdx,4), %ymm7
	vmovups	16416(%rcx,%rdx,4), %ymm8
	vmovups	16448(%rcx,%rdx,4), %ymm9
	vmovups	16480(%rcx,%rdx,4), %ymm10
	vmovups	16512(%rcx,%rdx,4), %ymm11
	vmovups	16544(%rcx,%rdx,4), %ymm12
	vmovups	16576(%rcx,%rdx,4), %ymm13
	vmovups	16608(%rcx,%rdx,4), %ymm14
	vmulps	%ymm14, %ymm14, %ymm14
	vaddps	%ymm6, %ymm14, %ymm6
	vmulps	%ymm13, %ymm13, %ymm13
	vaddps	%ymm5, %ymm13, %ymm5
	vmulps	%ymm12, %ymm12, %ymm12
	vaddps	%ymm0, %ymm12, %ymm0
	vmulps	%ymm11, %ymm11, %ymm11
	vaddps	%ymm1, %ymm11, %ymm1
	vmulps	%ymm10, %ymm10, %ymm10
	vaddps	%ymm4, %ymm10, %ymm4
	vmulps	%ymm7, %ymm7, %ymm7
	vaddps	%ymm7, %ymm15, %ymm15
	vmulps	%ymm8, %ymm8, %ymm7
	vaddps	%ymm7, %ymm2, %ymm2
	vmulps	%ymm9, %ymm9, %ymm7
	vaddps	%ymm7, %ymm3, %ymm3
	leaq	(%rax,%rdx), %r9
	addq	$64, %r9
	addq	$64, %rdx
	cmpq	%rbp, %r9
	jae	.LBB1_37
.LBB1_34:
	leaq	(%rax,%rdx), %r9
	prefetcht0	17408(%rcx,%rdx,4)
	prefetcht0	17472(%rcx,%rdx,4)
	prefetcht0	17536(%rcx,%rdx,4)
	prefetcht0	17600(%rcx,%rdx,4)
	cmpq	%r12, %r9
	jb	.LBB1_36
	vmovups	128(%rsp), %ymm9
	vmulps	-96(%r13,%rdx,4), %ymm9, %ymm7
	vmulps	-128(%r13,%rdx,4), %ymm9, %ymm8
	vmulps	-192(%rdi,%rdx,4), %ymm8, %ymm8
	vmulps	-160(%rdi,%rdx,4), %ymm7, %ymm7
	vmovntps	%ymm7, 32(%r11,%rdx,4)
	vmovntps	%ymm8, (%r11,%rdx,4)
	vmulps	-32(%r13,%rdx,4), %ymm9, %ymm7
	vmulps	-64(%r13,%rdx,4), %ymm9, %ymm8
	vmulps	-128(%rdi,%rdx,4), %ymm8, %ymm8
	vmulps	-96(%rdi,%rdx,4), %ymm7, %ymm7
	vmovntps	%ymm7, 96(%r11,%rdx,4)
	vmovntps	%ymm8, 64(%r11,%rdx,4)
	vmulps	32(%r13,%rdx,4), %ymm9, %ymm7
	vmulps	(%r13,%rdx,4), %ymm9, %ymm8
	vmulps	-64(%rdi,%rdx,4), %ymm8, %ymm8
	vmulps	-32(%rdi,%rdx,4), %ymm7, %ymm7
	vmovntps	%ymm7, 160(%r11,%rdx,4)
	vmovntps	%ymm8, 128(%r11,%rdx,4)
	vmulps	96(%r13,%rdx,4), %ymm9, %ymm7
	vmulps	64(%r13,%rdx,4), %ymm9, %ymm8
	vmulps	(%rdi,%rdx,4), %ymm8, %ymm8
	vmulps	32(%rdi,%rdx,4), %ymm7, %ymm7
	vmovntps	%ymm7, 224(%r11,%rdx,4)
	vmovntps	%ymm8, 192(%r11,%rdx,4)
	jmp	.LBB1_36
	.p2align	4
.LBB1_38:
	movq	80(%rsp), %rax
	subq	%r12, %rax
	cmpq	%rsi, %rax
	vmovups	128(%rsp), %ymm6
	jae	.LBB1_40
	.p2align	4
.LBB1_39:
	vmulps	32(%r8,%rax,4), %ymm6, %ymm0
	vmulps	(%r8,%rax,4), %ymm6, %ymm1
	vmulps	(%rbx,%rax,4), %ymm1, %ymm1
	vmulps	32(%rbx,%rax,4), %ymm0, %ymm0
	vmovntps	%ymm0, 32(%r10,%rax,4)
	vmovntps	%ymm1, (%r10,%rax,4)
	vmulps	96(%r8,%rax,4), %ymm6, %ymm0
	vmulps	64(%r8,%rax,4), %ymm6, %ymm1
	vmulps	64(%rbx,%rax,4), %ymm1, %ymm1
	vmulps	96(%rbx,%rax,4), %ymm0, %ymm0
	vmovntps	%ymm0, 96(%r10,%rax,4)
	vmovntps	%ymm1, 64(%r10,%rax,4)
	vmulps	160(%r8,%rax,4), %ymm6, %ymm0
	vmulps	128(%r8,%rax,4), %ymm6, %ymm1
	vmulps	128(%rbx,%rax,4), %ymm1, %ymm1
	vmulps	160(%rbx,%rax,4), %ymm0, %ymm0
	vmovntps	%ymm0, 160(%r10,%rax,4)
	vmovntps	%ymm1, 128(%r10,%rax,4)
	vmulps	224(%r8,%rax,4), %ymm6, %ymm0
	vmulps	192(%r8,%rax,4), %ymm6, %ymm1
	vmulps	192(%rbx,%rax,4), %ymm1, %ymm1
	vmulps	224(%rbx,%rax,4), %ymm0, %ymm0
	vmovntps	%ymm0, 224(%r10,%rax,4)
	vmovntps	%ymm1, 192(%r10,%rax,4)
	addq	$64, %rax
	cmpq	%rsi, %rax
	jb	.LBB1_39
.LBB1_40:
	movq	96(%rsp), %r11
	testq	%r11, %r11
	movq	(%rsp), %r9
	movq	88(%rsp), %r12
	movq	72(%rsp), %rcx
	movq	120(%rsp), %r13
	movq	112(%rsp), %rbp
	movq	104(%rsp), %rdx
	vmovaps	384(%rsp), %xmm2
	je	.LBB1_50
	movq	8(%rsp), %rax
	cmpl	16(%rsp), %eax
	jae	.LBB1_44
	movq	%rsi, %rax
	.p2align	4
.LBB1_43:
	vmulps	32(%r8,%rax,4), %ymm6, %ymm0
	vmulps	(%r8,%rax,4), %ymm6, %ymm1
	vmulps	(%rbx,%rax,4), %ymm1, %ymm1
	vmulps	32(%rbx,%rax,4), %ymm0, %ymm0
	vmovntps	%ymm0, 32(%r10,%rax,4)
	vmovntps	%ymm1, (%r10,%rax,4)
	addq	$16, %rax
	cmpq	%r12, %rax
	jb	.LBB1_43
.LBB1_44:
	cmpl	$4092, %r12d
	ja	.LBB1_47
	vbroadcastss	%xmm2, %xmm0
	movq	%r12, %rax
	.p2align	4
.LBB1_46:
	vmulps	(%r8,%rax,4), %xmm0, %xmm1
	vmulps	(%rbx,%rax,4), %xmm1, %xmm1
	vmovups	%xmm1, (%r10,%rax,4)
	addq	$4, %rax
	cmpq	%rcx, %rax
	jl	.LBB1_46
.LBB1_47:
	cmpl	$4095, %ecx
	jg	.LBB1_50
	movq	40(%rsp), %rax
	.p2align	4
.LBB1_49:
	vmulss	4(%r8,%rax,4), %xmm2, %xmm0
	vmulss	4(%rbx,%rax,4), %xmm0, %xmm0
	vmovss	%xmm0, 4(%r10,%rax,4)
	incq	%rax
	cmpq	$4095, %rax
	jl	.LBB1_49
	jmp	.LBB1_50
.Lfunc_end1:
	.size	"_mlir_ciface_main.x86-64-v3", .Lfunc_end1-"_mlir_ciface_main.x86-64-v3"
	.cfi_endproc

	.section	.rodata.cst4,"aM",@progbits,4
	.p2align	2, 0x0
.LCPI2_0:
	.long	0x39800000
.LCPI2_1:
	.long	0x358637bd
.LCPI2_2:
	.long	0x3f800000
	.text
	.p2align	4
	.type	"_mlir_ciface_main.x86-64-v4",@function
"_mlir_ciface_main.x86-64-v4":
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	pushq	%r15
	.cfi_def_cfa_offset 24
	pushq	%r14
	.cfi_def_cfa_offset 32
	pushq	%r13
	.cfi_def_cfa_offset 40
	pushq	%r12
	.cfi_def_cfa_offset 48
	pushq	%rbx
	.cfi_def_cfa_offset 56
	subq	$136, %rsp
	.cfi_def_cfa_offset 192
	.cfi_offset %rbx, -56
	.cfi_offset %r12, -48
	.cfi_offset %r13, -40
	.cfi_offset %r14, -32
	.cfi_offset %r15, -24
	.cfi_offset %rbp, -16
	movq	8(%rdi), %r14
	movq	24(%rdi), %r9
	movq	8(%rsi), %rbx
	movq	8(%rdx), %r12
	movq	24(%rdx), %r15
	movq	%r9, %rax
	shlq	$14, %rax
	leaq	(%rax,%r14), %rbp
	movq	%r15, %r13
	shlq	$14, %r13
	addq	%r12, %r13
	leaq	16384(%rbx), %rdi
	addq	%r9, %r15
	shlq	$14, %r15
	addq	$16384, %r15
	cmpq	$1048576, %r15
	movq	%rax, 40(%rsp)
	jb	.LBB2_1
	movl	$191, %edi
	movq	%r9, 8(%rsp)
	callq	sysconf@PLT
	leaq	16384(%rbx), %rdi
	movq	8(%rsp), %r9
	movq	%rax, %rcx
	shlq	$4, %rcx
	testq	%rax, %rax
	movl	$16777216, %eax
	cmovgq	%rcx, %rax
	cmpq	%rax, %r15
	setae	%al
	jmp	.LBB2_3
.LBB2_1:
	xorl	%eax, %eax
.LBB2_3:
	cmpq	%r14, %r13
	setbe	%cl
	cmpq	%r12, %rbp
	setbe	%dl
	cmpq	%rbx, %r13
	setbe	%sil
	cmpq	%r12, %rdi
	setbe	%dil
	testb	$3, %r12b
	jne	.LBB2_7
	orb	%sil, %dil
	je	.LBB2_7
	orb	%cl, %dl
	je	.LBB2_7
	testb	%al, %al
	je	.LBB2_7
	testq	%r9, %r9
	jle	.LBB2_70
	vxorps	%xmm0, %xmm0, %xmm0
	xorl	%eax, %eax
	vxorps	%xmm1, %xmm1, %xmm1
	vxorps	%xmm2, %xmm2, %xmm2
	vxorps	%xmm3, %xmm3, %xmm3
	.p2align	4
.LBB2_18:
	leaq	1024(%rax), %rcx
	vxorps	%xmm4, %xmm4, %xmm4
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm7, %xmm7, %xmm7
	movq	%rax, %rdx
	.p2align	4
.LBB2_19:
	vmovups	(%r14,%rdx,4), %zmm8
	vmovups	64(%r14,%rdx,4), %zmm9
	vmovups	128(%r14,%rdx,4), %zmm10
	vmovups	192(%r14,%rdx,4), %zmm11
	vmulps	%zmm11, %zmm11, %zmm11
	vaddps	%zmm11, %zmm7, %zmm7
	vmulps	%zmm8, %zmm8, %zmm8
	vaddps	%zmm8, %zmm4, %zmm4
	vmulps	%zmm9, %zmm9, %zmm8
	vaddps	%zmm8, %zmm5, %zmm5
	vmulps	%zmm10, %zmm10, %zmm8
	vaddps	%zmm8, %zmm6, %zmm6
	addq	$64, %rdx
	cmpq	%rcx, %rdx
	jb	.LBB2_19
	vaddps	%zmm4, %zmm1, %zmm1
	vaddps	%zmm5, %zmm0, %zmm0
	vaddps	%zmm6, %zmm2, %zmm2
	vaddps	%zmm7, %zmm3, %zmm3
	cmpq	$3072, %rax
	movq	%rcx, %rax
	jb	.LBB2_18
	vaddps	%zmm2, %zmm1, %zmm1
	vaddps	%zmm3, %zmm0, %zmm0
	vaddps	%zmm0, %zmm1, %zmm1
	vxorps	%xmm0, %xmm0, %xmm0
	vaddps	%zmm0, %zmm1, %zmm1
	vextractf64x4	$1, %zmm1, %ymm2
	vaddps	%ymm2, %ymm1, %ymm1
	vextractf128	$1, %ymm1, %xmm2
	vaddps	%xmm2, %xmm1, %xmm1
	vshufpd	$1, %xmm1, %xmm1, %xmm2
	vaddps	%xmm2, %xmm1, %xmm1
	vmovshdup	%xmm1, %xmm2
	vaddss	%xmm2, %xmm1, %xmm2
	movq	%r12, %rdi
	negq	%rdi
	shrq	$2, %rdi
	movl	%edi, %r10d
	andl	$15, %r10d
	movl	$4096, %eax
	movl	$4096, %edx
	subq	%r10, %rdx
	movl	%edx, %ecx
	andl	$-64, %ecx
	movq	%rcx, 16(%rsp)
	leaq	(%rcx,%r10), %rsi
	andl	$-16, %edx
	leaq	(%rdx,%r10), %r11
	vxorps	%xmm1, %xmm1, %xmm1
	vaddss	%xmm1, %xmm2, %xmm5
	decq	%r9
	movq	%rdx, 24(%rsp)
	movq	%rdi, 32(%rsp)
	jne	.LBB2_22
.LBB2_51:
	sfence
	vmulss	.LCPI2_0(%rip), %xmm5, %xmm0
	vaddss	.LCPI2_1(%rip), %xmm0, %xmm0
	vsqrtss	%xmm0, %xmm0, %xmm0
	vmovss	.LCPI2_2(%rip), %xmm1
	vdivss	%xmm0, %xmm1, %xmm0
	testq	%r10, %r10
	movq	40(%rsp), %rdi
	movq	24(%rsp), %r8
	je	.LBB2_59
	movq	32(%rsp), %r15
	andq	$12, %r15
	je	.LBB2_55
	vbroadcastss	%xmm0, %xmm1
	leaq	(%r12,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	xorl	%edx, %edx
	.p2align	4
.LBB2_54:
	vmulps	(%rcx,%rdx,4), %xmm1, %xmm2
	vmulps	(%rbx,%rdx,4), %xmm2, %xmm2
	vmovups	%xmm2, (%rax,%rdx,4)
	addq	$4, %rdx
	cmpq	%r15, %rdx
	jb	.LBB2_54
.LBB2_55:
	shlq	$12, %r9
	cmpl	%r10d, %r15d
	jae	.LBB2_58
	leaq	(%r12,%rdi), %rax
	addq	$-16384, %rax
	leaq	(%r14,%rdi), %rcx
	addq	$-16384, %rcx
	.p2align	4
.LBB2_57:
	vmulss	(%rcx,%r15,4), %xmm0, %xmm1
	vmulss	(%rbx,%r15,4), %xmm1, %xmm1
	vmovss	%xmm1, (%rax,%r15,4)
	incq	%r15
	cmpq	%r10, %r15
	jb	.LBB2_57
.LBB2_58:
	leaq	(%r12,%r9,4), %rax
	prefetcht0	(%rax,%r11,4)
.LBB2_59:
	vbroadcastss	%xmm0, %zmm1
	leaq	(%r12,%rdi), %rcx
	addq	$-16384, %rcx
	addq	%r14, %rdi
	addq	$-16384, %rdi
	movq	%r10, %rax
	.p2align	4
.LBB2_60:
	vmulps	128(%rdi,%rax,4), %zmm1, %zmm2
	vmulps	192(%rdi,%rax,4), %zmm1, %zmm3
	vmulps	(%rdi,%rax,4), %zmm1, %zmm4
	vmulps	64(%rdi,%rax,4), %zmm1, %zmm5
	vmulps	64(%rbx,%rax,4), %zmm5, %zmm5
	vmulps	(%rbx,%rax,4), %zmm4, %zmm4
	vmulps	192(%rbx,%rax,4), %zmm3, %zmm3
	vmulps	128(%rbx,%rax,4), %zmm2, %zmm2
	vmovntps	%zmm2, 128(%rcx,%rax,4)
	vmovntps	%zmm3, 192(%rcx,%rax,4)
	vmovntps	%zmm4, (%rcx,%rax,4)
	vmovntps	%zmm5, 64(%rcx,%rax,4)
	addq	$64, %rax
	cmpq	%rsi, %rax
	jb	.LBB2_60
	sfence
	testq	%r10, %r10
	je	.LBB2_70
	cmpl	%r8d, 16(%rsp)
	jae	.LBB2_64
	.p2align	4
.LBB2_63:
	vmulps	(%rdi,%rsi,4), %zmm1, %zmm2
	vmulps	(%rbx,%rsi,4), %zmm2, %zmm2
	vmovntps	%zmm2, (%rcx,%rsi,4)
	addq	$16, %rsi
	cmpq	%r11, %rsi
	jb	.LBB2_63
.LBB2_64:
	sfence
	movl	$4096, %eax
	subq	%r11, %rax
	andq	$-4, %rax
	addq	%r11, %rax
	cmpq	$4092, %r11
	ja	.LBB2_67
	vbroadcastss	%xmm0, %xmm1
	.p2align	4
.LBB2_66:
	vmulps	(%rdi,%r11,4), %xmm1, %xmm2
	vmulps	(%rbx,%r11,4), %xmm2, %xmm2
	vmovups	%xmm2, (%rcx,%r11,4)
	addq	$4, %r11
	cmpq	%rax, %r11
	jl	.LBB2_66
.LBB2_67:
	cmpl	$4095, %eax
	jg	.LBB2_70
	movl	$4096, %edx
	subq	%r10, %rdx
	subq	%r8, %rdx
	andq	$-4, %rdx
	addq	%r8, %rdx
	leaq	(%r10,%rdx), %rax
	decq	%rax
	.p2align	4
.LBB2_69:
	vmulss	4(%rdi,%rax,4), %xmm0, %xmm1
	vmulss	4(%rbx,%rax,4), %xmm1, %xmm1
	vmovss	%xmm1, 4(%rcx,%rax,4)
	incq	%rax
	cmpq	$4095, %rax
	jl	.LBB2_69
	jmp	.LBB2_70
.LBB2_7:
	testq	%r9, %r9
	jle	.LBB2_70
	xorl	%eax, %eax
	vxorps	%xmm0, %xmm0, %xmm0
	vxorps	%xmm1, %xmm1, %xmm1
	vmovss	.LCPI2_0(%rip), %xmm2
	vmovss	.LCPI2_1(%rip), %xmm3
	vmovss	.LCPI2_2(%rip), %xmm4
	.p2align	4
.LBB2_9:
	movq	%r14, %rcx
	vxorps	%xmm5, %xmm5, %xmm5
	vxorps	%xmm6, %xmm6, %xmm6
	vxorps	%xmm7, %xmm7, %xmm7
	vxorps	%xmm8, %xmm8, %xmm8
	xorl	%edx, %edx
	.p2align	4
.LBB2_10:
	leaq	1024(%rdx), %rsi
	vxorps	%xmm9, %xmm9, %xmm9
	xorl	%edi, %edi
	vxorps	%xmm10, %xmm10, %xmm10
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm12, %xmm12, %xmm12
	.p2align	4
.LBB2_11:
	vmovups	(%rcx,%rdi,4), %zmm13
	vmovups	64(%rcx,%rdi,4), %zmm14
	vmovups	128(%rcx,%rdi,4), %zmm15
	vmovups	192(%rcx,%rdi,4), %zmm16
	vmulps	%zmm16, %zmm16, %zmm16
	vaddps	%zmm16, %zmm12, %zmm12
	vmulps	%zmm13, %zmm13, %zmm13
	vaddps	%zmm13, %zmm10, %zmm10
	vmulps	%zmm14, %zmm14, %zmm13
	vaddps	%zmm13, %zmm9, %zmm9
	vmulps	%zmm15, %zmm15, %zmm13
	vaddps	%zmm13, %zmm11, %zmm11
	leaq	(%rdx,%rdi), %r8
	addq	$64, %r8
	addq	$64, %rdi
	cmpq	%rsi, %r8
	jb	.LBB2_11
	vaddps	%zmm10, %zmm5, %zmm5
	vaddps	%zmm9, %zmm6, %zmm6
	vaddps	%zmm11, %zmm7, %zmm7
	vaddps	%zmm12, %zmm8, %zmm8
	addq	$4096, %rcx
	cmpq	$3072, %rdx
	movq	%rsi, %rdx
	jb	.LBB2_10
	vaddps	%zmm7, %zmm5, %zmm5
	vaddps	%zmm8, %zmm6, %zmm6
	vaddps	%zmm6, %zmm5, %zmm5
	vaddps	%zmm0, %zmm5, %zmm5
	vextractf64x4	$1, %zmm5, %ymm6
	vaddps	%ymm6, %ymm5, %ymm5
	vextractf128	$1, %ymm5, %xmm6
	vaddps	%xmm6, %xmm5, %xmm5
	vshufpd	$1, %xmm5, %xmm5, %xmm6
	vaddps	%xmm6, %xmm5, %xmm5
	vmovshdup	%xmm5, %xmm6
	vaddss	%xmm6, %xmm5, %xmm5
	vaddss	%xmm1, %xmm5, %xmm5
	vmulss	%xmm2, %xmm5, %xmm5
	vaddss	%xmm3, %xmm5, %xmm5
	vsqrtss	%xmm5, %xmm5, %xmm5
	vdivss	%xmm5, %xmm4, %xmm5
	vbroadcastss	%xmm5, %zmm5
	movq	$-64, %rcx
	.p2align	4
.LBB2_14:
	vmulps	384(%r14,%rcx,4), %zmm5, %zmm6
	vmulps	448(%r14,%rcx,4), %zmm5, %zmm7
	vmulps	256(%r14,%rcx,4), %zmm5, %zmm8
	vmulps	320(%r14,%rcx,4), %zmm5, %zmm9
	vmulps	320(%rbx,%rcx,4), %zmm9, %zmm9
	vmulps	256(%rbx,%rcx,4), %zmm8, %zmm8
	vmulps	448(%rbx,%rcx,4), %zmm7, %zmm7
	vmulps	384(%rbx,%rcx,4), %zmm6, %zmm6
	vmovups	%zmm6, 384(%r12,%rcx,4)
	vmovups	%zmm7, 448(%r12,%rcx,4)
	vmovups	%zmm8, 256(%r12,%rcx,4)
	vmovups	%zmm9, 320(%r12,%rcx,4)
	addq	$64, %rcx
	cmpq	$4032, %rcx
	jb	.LBB2_14
	incq	%rax
	addq	$16384, %r14
	addq	$16384, %r12
	cmpq	%r9, %rax
	jne	.LBB2_9
.LBB2_70:
	addq	$136, %rsp
	.cfi_def_cfa_offset 56
	popq	%rbx
	.cfi_def_cfa_offset 48
	popq	%r12
	.cfi_def_cfa_offset 40
	popq	%r13
	.cfi_def_cfa_offset 32
	popq	%r14
	.cfi_def_cfa_offset 24
	popq	%r15
	.cfi_def_cfa_offset 16
	popq	%rbp
	.cfi_def_cfa_offset 8
	vzeroupper
	retq
.LBB2_22:
	.cfi_def_cfa_offset 192
	andl	$12, %edi
	movq	%rdi, 64(%rsp)
	leaq	(%r12,%r11,4), %rcx
	movq	%rcx, 56(%rsp)
	leaq	4096(%r10), %rcx
	movq	%rcx, 88(%rsp)
	movl	$4096, %ecx
	subq	%r11, %rcx
	andq	$-4, %rcx
	addq	%r11, %rcx
	movq	%rcx, 80(%rsp)
	leal	(,%r10,4), %ecx
	leaq	(%rcx,%rbx), %rdi
	addq	$192, %rdi
	movq	%rdi, 72(%rsp)
	leaq	(%r12,%rcx), %r13
	leaq	(%rcx,%r14), %rbp
	addq	$128, %rbp
	subq	%r10, %rax
	subq	%rdx, %rax
	andq	$-4, %rax
	addq	%rdx, %rax
	addq	%r10, %rax
	decq	%rax
	movq	%rax, 48(%rsp)
	xorl	%edx, %edx
	vmovss	.LCPI2_0(%rip), %xmm2
	vmovss	.LCPI2_1(%rip), %xmm3
	vmovss	.LCPI2_2(%rip), %xmm4
	movq	%r14, %r8
	movq	%r12, %r15
	movq	%r9, 8(%rsp)
	movq	%r10, 104(%rsp)
	movq	%r11, 96(%rsp)
	jmp	.LBB2_23
	.p2align	4
.LBB2_50:
	vaddps	%zmm8, %zmm7, %zmm5
	vaddps	%zmm9, %zmm6, %zmm6
	vaddps	%zmm6, %zmm5, %zmm5
	vaddps	%zmm0, %zmm5, %zmm5
	vextractf64x4	$1, %zmm5, %ymm6
	vaddps	%ymm6, %ymm5, %ymm5
	vextractf128	$1, %ymm5, %xmm6
	vaddps	%xmm6, %xmm5, %xmm5
	vshufpd	$1, %xmm5, %xmm5, %xmm6
	vaddps	%xmm6, %xmm5, %xmm5
	vmovshdup	%xmm5, %xmm6
	vaddss	%xmm6, %xmm5, %xmm5
	vaddss	%xmm1, %xmm5, %xmm5
	addq	$16384, %r15
	addq	$16384, %r8
	addq	$16384, %r13
	addq	$16384, %rbp
	cmpq	%r9, %rdx
	je	.LBB2_51
.LBB2_23:
	vmulss	%xmm2, %xmm5, %xmm5
	vaddss	%xmm3, %xmm5, %xmm5
	vsqrtss	%xmm5, %xmm5, %xmm5
	vdivss	%xmm5, %xmm4, %xmm5
	testq	%r10, %r10
	je	.LBB2_24
	movq	64(%rsp), %rcx
	testq	%rcx, %rcx
	je	.LBB2_28
	vbroadcastss	%xmm5, %xmm6
	xorl	%eax, %eax
	.p2align	4
.LBB2_27:
	vmulps	(%r8,%rax,4), %xmm6, %xmm7
	vmulps	(%rbx,%rax,4), %xmm7, %xmm7
	vmovups	%xmm7, (%r15,%rax,4)
	addq	$4, %rax
	cmpq	%rcx, %rax
	jb	.LBB2_27
.LBB2_28:
	cmpl	%r10d, %ecx
	jae	.LBB2_31
	movq	%rcx, %rax
	.p2align	4
.LBB2_30:
	vmulss	(%r8,%rax,4), %xmm5, %xmm6
	vmulss	(%rbx,%rax,4), %xmm6, %xmm6
	vmovss	%xmm6, (%r15,%rax,4)
	incq	%rax
	cmpq	%r10, %rax
	jb	.LBB2_30
.LBB2_31:
	movq	%rdx, %rax
	shlq	$12, %rax
	movq	56(%rsp), %rcx
	prefetcht0	(%rcx,%rax,4)
	movl	$128, %r10d
	jmp	.LBB2_32
	.p2align	4
.LBB2_24:
	movl	$64, %r10d
.LBB2_32:
	incq	%rdx
	movq	%rdx, 112(%rsp)
	vbroadcastss	%xmm5, %zmm10
	leal	(,%r10,4), %eax
	movq	72(%rsp), %rdi
	subq	%rax, %rdi
	movq	%r13, 128(%rsp)
	movq	%r13, %r11
	subq	%rax, %r11
	movq	%rbp, 120(%rsp)
	movq	%rbp, %r13
	subq	%rax, %r13
	vxorps	%xmm6, %xmm6, %xmm6
	movq	%r8, %rcx
	vxorps	%xmm7, %xmm7, %xmm7
	vxorps	%xmm8, %xmm8, %xmm8
	vxorps	%xmm9, %xmm9, %xmm9
	xorl	%eax, %eax
	jmp	.LBB2_33
	.p2align	4
.LBB2_37:
	vaddps	%zmm11, %zmm7, %zmm7
	vaddps	%zmm12, %zmm6, %zmm6
	vaddps	%zmm13, %zmm8, %zmm8
	vaddps	%zmm14, %zmm9, %zmm9
	addq	$4096, %rdi
	addq	$4096, %rcx
	addq	$4096, %r11
	addq	$4096, %r13
	cmpq	$3072, %rax
	movq	%rbp, %rax
	jae	.LBB2_38
.LBB2_33:
	leaq	1024(%rax), %rbp
	xorl	%edx, %edx
	vxorps	%xmm11, %xmm11, %xmm11
	vxorps	%xmm12, %xmm12, %xmm12
	vxorps	%xmm13, %xmm13, %xmm13
	vxorps	%xmm14, %xmm14, %xmm14
	jmp	.LBB2_34
	.p2align	4
.LBB2_36:
	vmovups	16384(%rcx,%rdx,4), %zmm15
	vmovups	16448(%rcx,%rdx,4), %zmm16
	vmovups	16512(%rcx,%rdx,4), %zmm17
	vmovups	16576(%rcx,%rdx,4), %zmm18
	vmulps	%zmm18, %zmm18, %zmm18
	vaddps	%zmm18, %zmm14, %zmm14
	vmulps	%zmm15, %zmm15, %zmm15
	vaddps	%zmm15, %zmm11, %zmm11
	vmulps	%zmm16, %zmm16, %zmm15
	vaddps	%zmm15, %zmm12, %zmm12
	vmulps	%zmm17, %zmm17, %zmm15
	vaddps	%zmm15, %zmm13, %zmm13
	leaq	(%rax,%rdx), %r9
	addq	$64, %r9
	addq	$64, %rdx
	cmpq	%rbp, %r9
	jae	.LBB2_37
.LBB2_34:
	leaq	(%rax,%rdx), %r9
	prefetcht0	17408(%rcx,%rdx,4)
	prefetcht0	17472(%rcx,%rdx,4)
	prefetcht0	17536(%rcx,%rdx,4)
	prefetcht0	17600(%rcx,%rdx,4)
	cmpq	%r10, %r9
	jb	.LBB2_36
	vmulps	-128(%r13,%rdx,4), %zmm10, %zmm15
	vmulps	-192(%rdi,%rdx,4), %zmm15, %zmm15
	vmovntps	%zmm15, (%r11,%rdx,4)
	vmulps	-64(%r13,%rdx,4), %zmm10, %zmm15
	vmulps	-128(%rdi,%rdx,4), %zmm15, %zmm15
	vmovntps	%zmm15, 64(%r11,%rdx,4)
	vmulps	(%r13,%rdx,4), %zmm10, %zmm15
	vmulps	-64(%rdi,%rdx,4), %zmm15, %zmm15
	vmovntps	%zmm15, 128(%r11,%rdx,4)
	vmulps	64(%r13,%rdx,4), %zmm10, %zmm15
	vmulps	(%rdi,%rdx,4), %zmm15, %zmm15
	vmovntps	%zmm15, 192(%r11,%rdx,4)
	jmp	.LBB2_36
	.p2align	4
.LBB2_38:
	movq	88(%rsp), %rax
	subq	%r10, %rax
	cmpq	%rsi, %rax
	movq	96(%rsp), %r11
	jae	.LBB2_40
	.p2align	4
.LBB2_39:
	vmulps	(%r8,%rax,4), %zmm10, %zmm11
	vmulps	(%rbx,%rax,4), %zmm11, %zmm11
	vmovntps	%zmm11, (%r15,%rax,4)
	vmulps	64(%r8,%rax,4), %zmm10, %zmm11
	vmulps	64(%rbx,%rax,4), %zmm11, %zmm11
	vmovntps	%zmm11, 64(%r15,%rax,4)
	vmulps	128(%r8,%rax,4), %zmm10, %zmm11
	vmulps	128(%rbx,%rax,4), %zmm11, %zmm11
	vmovntps	%zmm11, 128(%r15,%rax,4)
	vmulps	192(%r8,%rax,4), %zmm10, %zmm11
	vmulps	192(%rbx,%rax,4), %zmm11, %zmm11
	vmovntps	%zmm11, 192(%r15,%rax,4)
	addq	$64, %rax
	cmpq	%rsi, %rax
	jb	.LBB2_39
.LBB2_40:
	movq	104(%rsp), %r10
	testq	%r10, %r10
	movq	8(%rsp), %r9
	movq	80(%rsp), %rcx
	movq	128(%rsp), %r13
	movq	120(%rsp), %rbp
	movq	112(%rsp), %rdx
	je	.LBB2_50
	movq	16(%rsp), %rax
	cmpl	24(%rsp), %eax
	jae	.LBB2_44
	movq	%rsi, %rax
	.p2align	4
.LBB2_43:
	vmulps	(%r8,%rax,4), %zmm10, %zmm11
	vmulps	(%rbx,%rax,4), %zmm11, %zmm11
	vmovntps	%zmm11, (%r15,%rax,4)
	addq	$16, %rax
	cmpq	%r11, %rax
	jb	.LBB2_43
.LBB2_44:
	cmpl	$4092, %r11d
	ja	.LBB2_47
	vbroadcastss	%xmm5, %xmm10
	movq	%r11, %rax
	.p2align	4
.LBB2_46:
	vmulps	(%r8,%rax,4), %xmm10, %xmm11
	vmulps	(%rbx,%rax,4), %xmm11, %xmm11
	vmovups	%xmm11, (%r15,%rax,4)
	addq	$4, %rax
	cmpq	%rcx, %rax
	jl	.LBB2_46
.LBB2_47:
	cmpl	$4095, %ecx
	jg	.LBB2_50
	movq	48(%rsp), %rax
	.p2align	4
.LBB2_49:
	vmulss	4(%r8,%rax,4), %xmm5, %xmm10
	vmulss	4(%rbx,%rax,4), %xmm10, %xmm10
	vmovss	%xmm10, 4(%r15,%rax,4)
	incq	%rax
	cmpq	$4095, %rax
	jl	.LBB2_49
	jmp	.LBB2_50
.Lfunc_end2:
	.size	"_mlir_ciface_main.x86-64-v4", .Lfunc_end2-"_mlir_ciface_main.x86-64-v4"
	.cfi_endproc

	.p2align	4
	.type	_ZN4norm3cpu8getLevelERKNS0_9RegistersE,@function
_ZN4norm3cpu8getLevelERKNS0_9RegistersE:
	movl	(%rdi), %r8d
	movl	8(%rdi), %ecx
	notl	%r8d
	testl	$9970177, %r8d
	setne	%al
	testb	$1, %cl
	sete	%dl
	orb	%al, %dl
	movl	$1, %eax
	jne	.LBB3_3
	movl	4(%rdi), %edx
	movl	12(%rdi), %esi
	andl	$943722496, %r8d
	notl	%edx
	movl	%edx, %eax
	andl	$296, %eax
	orl	%r8d, %eax
	andl	$32, %ecx
	shrl	$5, %ecx
	notl	%esi
	movl	%esi, %edi
	andl	$6, %edi
	orl	%eax, %edi
	sete	%dil
	andb	%cl, %dil
	movl	$2, %eax
	cmpb	$1, %dil
	jne	.LBB3_3
	andl	$-805109760, %edx
	andl	$230, %esi
	xorl	%eax, %eax
	orl	%edx, %esi
	sete	%al
	addl	$3, %eax
.LBB3_3:
	retq
.Lfunc_end3:
	.size	_ZN4norm3cpu8getLevelERKNS0_9RegistersE, .Lfunc_end3-_ZN4norm3cpu8getLevelERKNS0_9RegistersE

	.p2align	4
	.type	norm_cpu_level,@function
norm_cpu_level:
	movl	_ZZ14norm_cpu_levelE5known(%rip), %eax
	testl	%eax, %eax
	je	.LBB4_1
	retq
.LBB4_1:
	xorl	%r8d, %r8d
	xorl	%eax, %eax
	#APP
	xchgq	%rbx, %rsi
	cpuid
	xchgq	%rbx, %rsi
	#NO_APP
	testl	%eax, %eax
	je	.LBB4_2
	movl	%eax, %edi
	movl	$1, %eax
	#APP
	xchgq	%rbx, %rsi
	cpuid
	xchgq	%rbx, %rsi
	#NO_APP
	movl	%ecx, %esi
	cmpl	$7, %edi
	jb	.LBB4_5
	movl	$7, %eax
	xorl	%ecx, %ecx
	#APP
	xchgq	%rbx, %r8
	cpuid
	xchgq	%rbx, %r8
	#NO_APP
.LBB4_5:
	movl	$-2147483648, %eax
	#APP
	xchgq	%rbx, %rdi
	cpuid
	xchgq	%rbx, %rdi
	#NO_APP
	cmpl	$-2147483647, %eax
	jae	.LBB4_7
.LBB4_6:
	xorl	%edi, %edi
	testl	$134217728, %esi
	jne	.LBB4_9
	jmp	.LBB4_10
.LBB4_2:
	xorl	%esi, %esi
	movl	$-2147483648, %eax
	#APP
	xchgq	%rbx, %rdi
	cpuid
	xchgq	%rbx, %rdi
	#NO_APP
	cmpl	$-2147483647, %eax
	jb	.LBB4_6
.LBB4_7:
	movl	$-2147483647, %eax
	#APP
	xchgq	%rbx, %rdi
	cpuid
	xchgq	%rbx, %rdi
	#NO_APP
	movl	%ecx, %edi
	testl	$134217728, %esi
	je	.LBB4_10
.LBB4_9:
	xorl	%ecx, %ecx
	#APP
	xgetbv
	#NO_APP
	shlq	$32, %rax
	orq	%rax, %rdi
.LBB4_10:
	notl	%esi
	movl	$1, %eax
	testl	$9970177, %esi
	jne	.LBB4_17
	movl	%edi, %ecx
	andl	$1, %ecx
	je	.LBB4_17
	movl	$2, %eax
	testl	$943722496, %esi
	jne	.LBB4_17
	movl	%r8d, %ecx
	andl	$296, %ecx
	cmpl	$296, %ecx
	jne	.LBB4_17
	movl	%edi, %ecx
	andl	$32, %ecx
	je	.LBB4_17
	shrq	$32, %rdi
	movl	%edi, %ecx
	andl	$6, %ecx
	cmpl	$6, %ecx
	jne	.LBB4_17
	notl	%r8d
	andl	$-805109760, %r8d
	notl	%edi
	andl	$230, %edi
	xorl	%eax, %eax
	orl	%r8d, %edi
	sete	%al
	addl	$3, %eax
.LBB4_17:
	movl	%eax, _ZZ14norm_cpu_levelE5known(%rip)
	retq
.Lfunc_end4:
	.size	norm_cpu_level, .Lfunc_end4-norm_cpu_level

	.globl	_mlir_ciface_main
	.p2align	4
	.type	_mlir_ciface_main,@function
_mlir_ciface_main:
	.cfi_startproc
	pushq	%r15
	.cfi_def_cfa_offset 16
	pushq	%r14
	.cfi_def_cfa_offset 24
	pushq	%rbx
	.cfi_def_cfa_offset 32
	.cfi_offset %rbx, -32
	.cfi_offset %r14, -24
	.cfi_offset %r15, -16
	movq	%rdx, %rbx
	movq	%rsi, %r14
	movq	%rdi, %r15
	callq	norm_cpu_level
	movq	%r15, %rdi
	movq	%r14, %rsi
	movq	%rbx, %rdx
	cmpl	$3, %eax
	je	.LBB5_3
	cmpl	$4, %eax
	jne	.LBB5_2
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	jmp	"_mlir_ciface_main.x86-64-v4"
.LBB5_3:
	.cfi_def_cfa_offset 32
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	jmp	"_mlir_ciface_main.x86-64-v3"
.LBB5_2:
	.cfi_def_cfa_offset 32
	popq	%rbx
	.cfi_def_cfa_offset 24
	popq	%r14
	.cfi_def_cfa_offset 16
	popq	%r15
	.cfi_def_cfa_offset 8
	jmp	"_mlir_ciface_main.x86-64-v2"
.Lfunc_end5:
	.size	_mlir_ciface_main, .Lfunc_end5-_mlir_ciface_main
	.cfi_endproc

	.type	_ZZ14norm_cpu_levelE5known,@object
	.local	_ZZ14norm_cpu_levelE5known
	.comm	_ZZ14norm_cpu_levelE5known,4,4
	.ident	"Debian clang version 22.1.8 (1~deb12u1)"
	.section	".note.GNU-stack","",@progbits
